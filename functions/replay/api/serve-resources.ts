import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler, type Response, Router } from 'express';
import {
  DeadLetterError,
  ForbiddenError,
  InputError,
  NotAuthorizedError,
  NotFoundError,
} from '../../../shared/errors.ts';
import { answerError } from '../../endpoint.ts';
import type { ConsoleUser } from '../../identity/identify-user.ts';
import type { RawEndpoint } from '../../raw-requests.ts';
import { openBodyReader, type ReadBody } from '../../read-body.ts';
import { sendLines } from '../../send-lines.ts';
import type { ApiResponse, Resource, Resources } from './operation.ts';
import { readBody } from './read-body.ts';

/** Identifies the caller of a request and their role. Throws NotAuthorizedError, and ForbiddenError for a caller without a role. */
export type IdentifyUser = (request: IncomingMessage) => Promise<ConsoleUser>;

class MethodNotAllowedError extends DeadLetterError {
  readonly code = 'METHOD_NOT_ALLOWED';
}

/**
 * Serves an API at `/` and at `/replay`: a deployed function has its own host, a gateway has a path for each function.
 * `/openapi.json` is public; all other paths require an authenticated caller, and POST an operator.
 */
export function serveResources(resources: Resources, identify: IdentifyUser): RawEndpoint {
  const api = Router();
  const readRequest = openBodyReader(maxBytes);
  for (const [path, resource] of Object.entries(resources)) {
    api.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), serveResource(resource, { identify, readRequest }));
  }
  api.all('/openapi.json', serveDocument(resources));
  const root = express().disable('x-powered-by').disable('etag');
  root.use('/replay', api).use(api).use(rejectUnknownPath).use(answerFailure);
  return async (request, response) => {
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      root(request, response);
    });
  };
}

const maxBytes = 1_048_576;

const rejectUnknownPath: RequestHandler = () => {
  throw new NotFoundError('Unknown path; /openapi.json lists all paths.');
};

const malformedPath = new InputError([
  { field: 'path', value: '(not shown)', remedy: 'Use percent-encoded UTF-8.' },
]);

const answerFailure: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof NotAuthorizedError) response.setHeader('www-authenticate', 'Bearer');
  answerError(response, error instanceof URIError ? malformedPath : error);
};

function serveResource(
  { get, post }: Resource,
  { identify, readRequest }: { readonly identify: IdentifyUser; readonly readRequest: ReadBody },
): RequestHandler {
  return async (request, response) => {
    const load = selectMethod(request, response, { GET: get, POST: post });
    const caller = await identify(request);
    if (load === post && !caller.isOperator) {
      throw new ForbiddenError('You have the viewer role, which is read-only. Ask for the operator role.');
    }
    const query = new URLSearchParams(request.originalUrl.replace(/^[^?]*/, ''));
    const params = Object.fromEntries(
      Object.entries(request.params).map(([name, value]) => [name, String(value)]),
    );
    const { bytes } = await readRequest(request, response);
    const body = load === post ? readBody(bytes, request) : undefined;
    const text = new TextDecoder().decode(bytes);
    const { headers } = request;
    const { handle } = await load();
    await send(response, await handle({ params, query, headers, body, text, caller, now: new Date() }));
  };
}

/** Returns the entry of the request's method, or throws MethodNotAllowedError and sets Allow. */
function selectMethod<Method>(
  { method }: { readonly method: string },
  response: Response,
  operations: Readonly<Record<string, Method | undefined>>,
): Method {
  const operation = operations[method === 'HEAD' ? 'GET' : method];
  if (operation) return operation;
  const allowed = Object.keys(operations).filter((each) => operations[each]);
  response.setHeader('allow', allowed.join(', ').replace('GET', 'GET, HEAD'));
  throw new MethodNotAllowedError(`Use ${allowed.join(' or ')}.`);
}

function serveDocument(resources: Resources): RequestHandler {
  const get = async () => {
    const { describeApi } = await import('./describe-api.ts');
    return { body: await describeApi(resources) };
  };
  return async (request, response) => {
    const answer = selectMethod(request, response, { GET: get });
    await send(response, await answer());
  };
}

async function send(response: Response, answer: ApiResponse): Promise<void> {
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...answer.headers };
  if ('lines' in answer) return sendLines(response, answer.lines, () => response.set(headers));
  const json = 'json' in answer ? answer.json : JSON.stringify(answer.body);
  response
    .status(answer.status ?? 200)
    .set(headers)
    .type('application/json')
    .send(`${json}\n`);
}
