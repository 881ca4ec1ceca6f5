import type { Guard } from '../guard.ts';
import { settleRequest } from './settle-request.ts';

/** The context of hono. */
export type HonoContext = {
  readonly req: { header(): Record<string, string>; arrayBuffer(): Promise<ArrayBuffer> };
};

/** For `app.post(path, ...)`: the handler answers a message that it handled. */
export function wrapHono(guard: Guard) {
  return <Context extends HonoContext>(handler: (context: Context) => Response | Promise<Response>) =>
    async (context: Context): Promise<Response> => {
      // Before the handler: hono would print the JSON again that it has parsed.
      const rawBody = new Uint8Array(await context.req.arrayBuffer());
      const message = { headers: context.req.header(), body: undefined, rawBody };
      const settled = await settleRequest(guard, () => handler(context), message);
      if (settled.is === 'handled') return settled.result;
      const { status, headers, text } = settled.response;
      return new Response(text || null, { status, headers });
    };
}
