import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Endpoint } from './endpoint.ts';

/** An HTTP function that needs nothing of what the framework adds to a request and its response. */
export type RawEndpoint = Endpoint<IncomingMessage, ServerResponse>;

const firstRequest = 'http.server.request.start';

/**
 * Has the server of the framework hand every request to `endpoint` as it came. The framework would parse JSON before
 * our code runs and answer 400 to what is malformed, which is exactly what a dead letter queue must not lose; and its
 * way to a function takes longer than all that capture does with an event. It goes on to find the function, to listen
 * and to end the process. Node announces the first request before anybody handles it, and names the server.
 */
export function takeRequests(endpoint: RawEndpoint): void {
  const take = (announced: unknown) => {
    unsubscribe(firstRequest, take);
    const { server } = announced as { readonly server: Server };
    server.removeAllListeners('request').on('request', endpoint);
  };
  subscribe(firstRequest, take);
}

/** Reads the bytes of a body. Of a sender that goes away in between nothing is heard any more. */
export function readBytes(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}
