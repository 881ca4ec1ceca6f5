import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { answerProblem } from './answers.ts';

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1), and what the gateway settled. */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'expect']);

export type Destination = { readonly name: string; readonly socket: string; readonly path: string };

/** Passes a request on to a function and its answer back: bytes and headers as they are, nothing held in memory. */
export function forward(incoming: IncomingMessage, response: ServerResponse, to: Destination): void {
  const outgoing = request({
    socketPath: to.socket,
    path: to.path,
    method: incoming.method,
    // A connection each: one kept for the next would break whenever the function restarts. We are the ones who close it:
    // a function that has answered and closes would break our last write, and with it its answer.
    headers: [...keepHeaders(incoming.rawHeaders), ...stateEmptyBody(incoming), 'Connection', 'keep-alive'],
    agent: false,
  });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, keepHeaders(answer.rawHeaders));
    pipeline(answer, response, () => {});
  });
  outgoing.on('error', () => {
    if (response.headersSent || response.destroyed) return;
    response.setHeader('retry-after', '1');
    const detail = `The function ${to.name} broke off before it answered. Send the same request again.`;
    answerProblem(response, 502, detail);
  });
  response.on('close', () => outgoing.destroy());
  pipeline(incoming, outgoing, () => {});
}

function keepHeaders(raw: readonly string[]): string[] {
  return raw.flatMap((name, i) =>
    i % 2 === 1 || ofConnection.has(name.toLowerCase()) ? [] : [name, raw[i + 1] ?? ''],
  );
}

/** Without this, Node would announce a chunked body for a POST that has none. */
function stateEmptyBody({ headers, method }: IncomingMessage): string[] {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody || method === 'GET' || method === 'HEAD' ? [] : ['Content-Length', '0'];
}
