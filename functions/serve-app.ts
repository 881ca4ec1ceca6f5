import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import type { Hono, MiddlewareHandler } from 'hono';
import { InputError } from '../shared/errors.ts';
import { describeError, type Endpoint } from './endpoint.ts';

/** Each handler has, beside the request of hono, that of Node.js, with its socket and its headers as they were sent. */
export type NodeEnv = { readonly Bindings: HttpBindings };

/** Returns the endpoint of an app. */
export function serveApp(app: Pick<Hono<NodeEnv>, 'fetch'>): Endpoint {
  return getRequestListener(app.fetch, {
    // HTTP/1.0 has no Host.
    hostname: 'localhost',
    // serveRaw drops the rest of a body.
    autoCleanupIncoming: false,
    errorHandler: (error) => answerFailure(error instanceof RequestError ? malformedTarget(error) : error),
  });
}

function malformedTarget({ message }: RequestError): InputError {
  const remedy = `Send a path and a Host that form a URL: ${message}.`;
  return new InputError([{ field: 'request target', value: '(not shown)', remedy }]);
}

/** Answers with the problem details of an error. */
export function answerFailure(error: unknown): Response {
  const { body, ...head } = describeError(error);
  return new Response(body, head);
}

/** Forbids caches to store a response, unless its handler allows it. */
export const forbidCaching: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};
