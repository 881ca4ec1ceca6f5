import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { DeadLetterError, InputError, SelectionChangedError, statuses } from '../shared/errors.ts';
import { log } from '../shared/log.ts';

/** An HTTP function. It must not reject: an unhandled rejection ends the process. */
export type Endpoint = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** The path exists, and not for this method. */
export class MethodNotAllowedError extends DeadLetterError {
  readonly code = 'METHOD_NOT_ALLOWED';
  readonly methods: readonly string[];

  constructor(methods: readonly string[]) {
    super(`Use ${methods.filter((method) => method !== 'HEAD').join(' or ')}.`);
    this.methods = methods;
  }
}

/** Returns an endpoint that answers POST by `handle`, errors by problem details, others by 405. */
export function onlyPost(handle: Endpoint): Endpoint {
  return (request, response) => {
    const fail = (error: unknown) => answerError(response, error);
    try {
      if (request.method === 'POST') return handle(request, response)?.catch(fail);
      fail(new MethodNotAllowedError(['POST']));
    } catch (error) {
      fail(error);
    }
  };
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  answer(response, { status, type: 'application/json', text: `${JSON.stringify(body)}\n` });
}

/** Answers with the problem details of an error. */
export function answerError(response: ServerResponse, error: unknown): void {
  send(response, describeError(error));
}

/** Answers with problem details that no error has. */
export function answerProblem(response: ServerResponse, problem: Problem): void {
  send(response, { status: problem.status, headers: problemHeaders, body: printProblem(problem) });
}

/** Answers with text of a media type. */
export function answer(response: ServerResponse, { status, type, text }: Text): void {
  send(response, { status, headers: { 'content-type': `${type}; charset=utf-8` }, body: text });
}

type Text = { readonly status: number; readonly type: string; readonly text: string };
type Headers = Readonly<Record<string, string>>;
type Answer = { readonly status: number; readonly headers: Headers; readonly body: string };
/** Members of problem details. */
type Problem = {
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly [name: string]: unknown;
};

/** Sends head and body in one write. */
function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

const problemHeaders = { 'content-type': 'application/problem+json; charset=utf-8' };

/** Value of `Retry-After` beside each 503, in seconds. */
export const retryAfter = '5';

/** Logs an error that callers may not know of, and returns its HTTP status: 500 for an unexpected one. */
export function logError(error: unknown): number {
  const status = error instanceof DeadLetterError ? statuses[error.code] : 500;
  if (!(error instanceof DeadLetterError) || status === 500) {
    log('ERROR', error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 500;
  }
  const { message, cause } = error;
  if (status === 401 || status === 403) log('WARNING', `Request rejected. ${message}`);
  if (status === 503) log('ERROR', message, cause === undefined ? {} : { cause: String(cause) });
  return status;
}

/** Describes an error as problem details (RFC 9457) and logs it. An unexpected one shows its status alone. */
export function describeError(error: unknown): Answer {
  const status = logError(error);
  if (!(error instanceof DeadLetterError) || status === 500) {
    const detail = 'Unexpected error. The log has the details.';
    const body = printProblem({ status: 500, detail, code: 'UNEXPECTED' });
    return { status: 500, headers: problemHeaders, body };
  }
  const { code, message } = error;
  const headers: Headers = {
    ...problemHeaders,
    ...(status === 503 && { 'retry-after': retryAfter }),
    ...(error instanceof MethodNotAllowedError && { allow: error.methods.join(', ') }),
  };
  const isInput = error instanceof InputError;
  const detail = isInput ? 'The request is invalid. Nothing was changed.' : message;
  const changed = error instanceof SelectionChangedError && {
    previewed: error.previewed,
    preview: error.preview,
  };
  const problems = isInput && { problems: error.problems };
  return { status, headers, body: printProblem({ status, detail, code, ...problems, ...changed }) };
}

function printProblem({ status, ...more }: Problem): string {
  return `${JSON.stringify({ status, title: STATUS_CODES[status], ...more })}\n`;
}
