import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import type { Endpoint } from './endpoint.ts';

/** An HTTP function that uses nothing of what the framework adds to a request and its response. */
export type RawEndpoint = Endpoint<IncomingMessage, ServerResponse>;

const firstRequest = 'http.server.request.start';

/**
 * Serves `endpoint` raw if the framework of this process serves the function `name`, and returns `endpoint`. The framework
 * still finds the function, listens and ends the process. Its server does not exist yet when a function is loaded:
 * Node.js announces the first request, and with it the server, before it calls any handler.
 */
export function serveRawFunction(name: string, endpoint: RawEndpoint): RawEndpoint {
  const onRequest = (message: unknown) => {
    unsubscribe(firstRequest, onRequest);
    serveRaw((message as { readonly server: Server }).server, endpoint);
  };
  if (findTarget() === name) subscribe(firstRequest, onRequest);
  return endpoint;
}

/** Returns the name of the function that the framework serves: Google Cloud sets the variable, a terminal `--target`. */
export function findTarget(): unknown {
  const readArguments = () => parseArgs({ options: { target: { type: 'string' } }, strict: false }).values;
  return process.env.FUNCTION_TARGET || readArguments().target;
}

/**
 * Hands every request of `server` to `endpoint` alone, as it arrived. The handlers of the framework parse JSON and answer
 * 400 to a malformed body, which a dead letter queue must not lose; they also take longer than a capture.
 */
export function serveRaw(server: Server, endpoint: RawEndpoint): void {
  server.removeAllListeners('request').on('request', endpoint);
}

/** Reads the bytes of a body. `done` is never called if the sender disconnects first. */
export function readBytes(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
}
