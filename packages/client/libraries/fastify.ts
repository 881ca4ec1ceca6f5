import type { Guard } from '../guard.ts';
import type { HttpMessage } from './http-message.ts';
import { settleRequest } from './settle-request.ts';

/** A request of Fastify; `rawBody` with the plugin `fastify-raw-body`. */
export type FastifyRequest = {
  readonly headers: HttpMessage['headers'];
  readonly body?: unknown;
  readonly rawBody?: Uint8Array | string;
};

export type FastifyReply = {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(payload?: string): unknown;
};

/** For `app.post(path, ...)`: the handler answers a message that it handled. */
export function wrapFastify(guard: Guard) {
  return <Request extends FastifyRequest, Reply extends FastifyReply>(
    handler: (request: Request, reply: Reply) => unknown,
  ) =>
    async (request: Request, reply: Reply): Promise<unknown> => {
      const { headers, body, rawBody } = request;
      const message = { headers, body, rawBody: rawBody === undefined ? undefined : Buffer.from(rawBody) };
      const settled = await settleRequest(guard, () => handler(request, reply), message);
      if (settled.is === 'handled') return settled.result;
      const { status, headers: answered, text } = settled.response;
      reply.code(status);
      reply.headers({ ...answered });
      reply.send(text);
      return reply;
    };
}
