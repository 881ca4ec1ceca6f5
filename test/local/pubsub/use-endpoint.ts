import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'node:test';

export type PushBody = {
  readonly message: {
    readonly data?: string;
    readonly attributes?: Record<string, string>;
    readonly messageId: string;
    readonly orderingKey?: string;
  };
  readonly subscription: string;
};

type Arrival = { readonly body: PushBody; readonly headers: IncomingHttpHeaders; readonly atMillis: number };
type Respond = (arrival: Arrival, response: ServerResponse) => void;

/** An HTTP endpoint for push subscriptions that records requests; it answers 204 by default. */
export function useEndpoint() {
  const accept: Respond = (_, response) => response.writeHead(204).end();
  let arrivals: Arrival[] = [];
  let respond = accept;
  let notify = () => {};
  const server = createServer(async (request, response) => {
    const body: PushBody = JSON.parse(await text(request));
    const arrival = { body, headers: request.headers, atMillis: performance.now() };
    arrivals.push(arrival);
    notify();
    respond(arrival, response);
  });

  beforeEach(async () => {
    arrivals = [];
    respond = accept;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    respond: (answer: Respond) => {
      respond = answer;
    },
    /** Resolves with all requests as soon as at least `count` have arrived. */
    async arrived(count: number): Promise<readonly Arrival[]> {
      while (arrivals.length < count) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      return arrivals;
    },
  };
}
