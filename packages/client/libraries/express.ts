import type { ServerResponse } from 'node:http';
import type { Guard } from '../guard.ts';
import type { HttpMessage } from './http-message.ts';
import { type FailedResponse, settleRequest } from './settle-request.ts';

/** A request of the functions-framework, which keeps `rawBody`, or of Express with `express.raw()`. */
export type ExpressRequest = {
  readonly headers: HttpMessage['headers'];
  readonly body?: unknown;
  readonly rawBody?: Uint8Array;
};

export type ExpressResponse = Pick<ServerResponse, 'headersSent' | 'writeHead' | 'end'>;

/**
 * For `app.post(path, ...)` and `functions.http(name, ...)`: the handler answers a message that it handled.
 */
export function wrapExpress(guard: Guard) {
  return <Request extends ExpressRequest, Response extends ExpressResponse>(
    handler: (request: Request, response: Response) => unknown,
  ) =>
    async (request: Request, response: Response): Promise<void> => {
      const { headers, body, rawBody } = request;
      const message = { headers, body, rawBody };
      const settled = await settleRequest(guard, () => handler(request, response), message);
      if (settled.is === 'failed') respond(response, settled.response);
    };
}

/** Sends the answer, unless the handler has begun its own. */
export function respond(response: ExpressResponse, { status, headers, text }: FailedResponse): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, ...(text && { 'content-type': 'text/plain; charset=utf-8' }) });
  response.end(text);
}
