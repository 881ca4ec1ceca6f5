import type { Request, Response } from '@google-cloud/functions-framework';
import {
  ConflictError,
  DatabaseUnavailableError,
  InputError,
  NotAuthorizedError,
  NotFoundError,
} from '../shared/errors.ts';
import { log } from '../shared/log.ts';

/** An HTTP function as the framework calls it. It must not reject: the framework would end the process. */
export type Endpoint = (request: Request, response: Response) => Promise<void> | void;

/** Answers POST with `handle`, turns what it throws into an answer that says what to do, and refuses other methods. */
export function onlyPost(handle: Endpoint): Endpoint {
  return (request, response) => {
    if (request.method === 'POST')
      return handle(request, response)?.catch((error) => answerError(response, error));
    response.setHeader('allow', 'POST');
    answerProblem(response, 405, 'Use POST.');
  };
}

export function answerJson(response: Response, status: number, body: unknown): void {
  answer(response, status, 'application/json', `${JSON.stringify(body)}\n`);
}

/** Says what went wrong and what to do about it. */
export function answerError(response: Response, error: unknown): void {
  if (error instanceof InputError) {
    answerProblem(response, 400, 'The request cannot be used. Nothing was changed.', {
      problems: error.problems,
    });
  } else if (error instanceof NotAuthorizedError) {
    log('WARNING', `A request was refused. ${error.message}`);
    answerProblem(response, 401, error.message);
  } else if (error instanceof NotFoundError) {
    answerProblem(response, 404, error.message);
  } else if (error instanceof ConflictError) {
    answerProblem(response, 409, error.message);
  } else if (error instanceof DatabaseUnavailableError) {
    log('ERROR', error.message, { cause: String(error.cause) });
    response.setHeader('retry-after', '5');
    answerProblem(response, 503, error.message);
  } else {
    log('ERROR', error instanceof Error ? (error.stack ?? error.message) : String(error));
    answerProblem(response, 500, 'Something unexpected went wrong. The log says what.');
  }
}

/** Problem details as in RFC 9457. */
function answerProblem(response: Response, status: number, detail: string, more: object = {}): void {
  answer(response, status, 'application/problem+json', `${JSON.stringify({ status, detail, ...more })}\n`);
}

/** Head and body in one write, and without what Express looks up for each answer. */
function answer(response: Response, status: number, type: string, body: string): void {
  const headers = { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}
