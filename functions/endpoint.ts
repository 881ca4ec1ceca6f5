import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Request, Response } from '@google-cloud/functions-framework';
import { DeadLetterError, InputError } from '../shared/errors.ts';
import { log } from '../shared/log.ts';

/** An HTTP function as the framework calls it. It must not reject: an unhandled rejection ends the process. */
export type Endpoint<
  Incoming extends IncomingMessage = Request,
  Outgoing extends ServerResponse = Response,
> = (request: Incoming, response: Outgoing) => Promise<void> | void;

/** Returns an endpoint that answers POST by `handle`, its errors by problem details, and other methods by 405. */
export function onlyPost<Incoming extends IncomingMessage, Outgoing extends ServerResponse>(
  handle: Endpoint<Incoming, Outgoing>,
): Endpoint<Incoming, Outgoing> {
  return (request, response) => {
    const fail = (error: unknown) => answerError(response, error);
    try {
      if (request.method === 'POST') return handle(request, response)?.catch(fail);
      response.setHeader('allow', 'POST');
      answerProblem(response, 405, 'Use POST.', { code: 'METHOD_NOT_ALLOWED' });
    } catch (error) {
      fail(error);
    }
  };
}

/** Answers with JSON, head and body in one write, without the lookups that Express makes for each answer. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  answer(response, status, 'application/json', `${JSON.stringify(body)}\n`);
}

/** Answers with the problem details of an error. The caller of an unexpected error learns no more than its status. */
export function answerError(response: ServerResponse, error: unknown): void {
  const status = error instanceof DeadLetterError ? statuses[error.code] : undefined;
  if (error instanceof DeadLetterError && status) {
    const { code } = error;
    logRejection(error, status);
    if (status === 503) response.setHeader('retry-after', '5');
    const more = error instanceof InputError ? { code, problems: error.problems } : { code };
    const detail = 'problems' in more ? 'The request is invalid. Nothing was changed.' : error.message;
    answerProblem(response, status, detail, more);
  } else {
    log('ERROR', error instanceof Error ? (error.stack ?? error.message) : String(error));
    answerProblem(response, 500, 'Unexpected error. The log has the details.', { code: 'UNEXPECTED' });
  }
}

function logRejection({ message, cause }: DeadLetterError, status: number): void {
  if (status === 401) log('WARNING', `Request rejected. ${message}`);
  if (status === 503) log('ERROR', message, cause === undefined ? {} : { cause: String(cause) });
}

/** The HTTP status of each error code. */
export const statuses: Readonly<Record<string, number>> = {
  BAD_INPUT: 400,
  NOT_AUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_COSTLY: 422,
  CUT_SHORT: 503,
  DATABASE_UNAVAILABLE: 503,
  IDENTITY_UNAVAILABLE: 503,
  OVERLOADED: 503,
  REQUEST_FAILED: 503,
};

/** Problem details as in RFC 9457. */
export function answerProblem(
  response: ServerResponse,
  status: number,
  detail: string,
  more: { readonly code: string; readonly [name: string]: unknown },
): void {
  const body = JSON.stringify({ status, title: STATUS_CODES[status], detail, ...more });
  answer(response, status, 'application/problem+json', `${body}\n`);
}

/** Answers with text of a media type, head and body in one write. */
export function answer(response: ServerResponse, status: number, type: string, body: string): void {
  const headers = { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}
