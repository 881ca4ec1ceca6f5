import type { IncomingMessage } from 'node:http';
import { eventIdOf, readRedelivery } from './event-id.ts';
import { type ExpressResponse, respond } from './libraries/express.ts';
import { readMessageHeaders } from './libraries/http-message.ts';
import { answerRedelivery } from './libraries/settle-request.ts';
import type { Headers } from './message-facts.ts';

/** An event that Dead Letter Office delivers again. */
export type Redelivery = {
  /** The exact bytes of the message. */
  readonly body: Buffer;
  readonly headers: Headers;
  /** The same for each delivery of the message: see `eventIdOf`. */
  readonly eventId: string;
  /** Counts the deliveries of the event, from 1. */
  readonly attempt: number;
};

type Request = IncomingMessage & { readonly rawBody?: Uint8Array };

/**
 * Makes the endpoint of a route for a consumer that pulls its messages: a listener of `http.createServer`,
 * Express or the functions-framework. An error of the handler is the answer: 422 if its `kind` is
 * permanent, else 500.
 */
export function redeliveries(handler: (redelivery: Redelivery) => unknown) {
  return async (request: Request, response: ExpressResponse): Promise<void> => {
    const headers = readMessageHeaders(request.headers);
    const redelivery = readRedelivery(headers);
    const eventId = eventIdOf(headers);
    if (!redelivery || eventId === undefined) {
      return respond(response, {
        status: 400,
        headers: {},
        text: 'Not a redelivery: dlo-event-id is missing.',
      });
    }
    const settled = await answerRedelivery(async () => {
      const body = await readBody(request);
      return handler({ body, headers, eventId, attempt: redelivery.attempt });
    });
    respond(response, settled.is === 'failed' ? settled.response : { status: 204, headers: {}, text: '' });
  };
}

/** The functions-framework has read the body already, and keeps its bytes. */
async function readBody(request: Request): Promise<Buffer> {
  if (request.rawBody) return Buffer.from(request.rawBody);
  return Buffer.concat(await request.toArray());
}
