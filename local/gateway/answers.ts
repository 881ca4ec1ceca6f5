import type { ServerResponse } from 'node:http';

/** A refusal as the functions give theirs: problem details as in RFC 9457. */
export function answerProblem(
  response: ServerResponse,
  status: number,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  answer(response, status, 'application/problem+json', `${JSON.stringify({ status, detail, ...more })}\n`);
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  answer(response, status, 'application/json', `${JSON.stringify(body)}\n`);
}

export function answerText(response: ServerResponse, status: number, text: string): void {
  answer(response, status, 'text/plain; charset=utf-8', text);
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
