import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import { parseArgs } from 'node:util';
import { inExecution } from '../shared/log.ts';
import type { Endpoint } from './endpoint.ts';
import { chunkBytes } from './read-body.ts';

/**
 * Serves `endpoint` raw if the framework of this process serves the function `name`, and returns `endpoint`.
 * The framework still finds the function, listens and ends the process. Its server does not exist yet when a
 * function is loaded: Node.js announces the first request, and with it the server, before it calls any
 * handler.
 */
export function serveRawFunction(name: string, endpoint: Endpoint): Endpoint {
  if (findTarget() === name) onFirstRequest((server) => serveRaw(server, endpoint));
  return endpoint;
}

/** Passes the server of this process to `act`. Node.js announces a request before it calls any handler. */
export function onFirstRequest(act: (server: Server) => void): void {
  const onRequest = (message: unknown) => {
    unsubscribe('http.server.request.start', onRequest);
    act((message as { readonly server: Server }).server);
  };
  subscribe('http.server.request.start', onRequest);
}

/** Returns the function that the framework serves, by its variable on Google Cloud or by `--target`. */
export function findTarget(): unknown {
  const readArguments = () => parseArgs({ options: { target: { type: 'string' } }, strict: false }).values;
  return process.env.FUNCTION_TARGET || readArguments().target;
}

/** The time in which a sender must have sent a whole request, in ms. */
const requestTimeoutMs = 30_000;

/** Bytes that are read and dropped after a response: some senders send all before they read it. */
const maxDiscardBytes = 2 ** 20;
/** The time for that, in ms; then the connection is closed. */
const maxDiscardMs = 5000;

/**
 * Hands every request of `server` to `endpoint` alone, as it arrived. The framework reads and decompresses up
 * to 1 GiB before it calls a function, and answers 400 to malformed JSON, which must not be lost.
 */
export function serveRaw(server: Server, endpoint: Endpoint): void {
  server.requestTimeout = requestTimeoutMs;
  server.removeAllListeners('request').on('request', (request, response) => {
    // Before 'finish', at which Node.js would read and drop the rest without a limit.
    response.once('prefinish', () => discardRest(request));
    return inExecution(readExecutionId(request), () => endpoint(request, response));
  });
}

/** The id that Cloud Functions sends. */
function readExecutionId({ headers }: IncomingMessage): string | undefined {
  return headers['function-execution-id']?.toString();
}

/** A request that was rejected by its headers or its size may still be sending. */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length + chunkBytes;
    if (bytes > maxDiscardBytes) request.pause();
  });
  request.read(0);
  const timeout = setTimeout(() => request.destroy(), maxDiscardMs);
  request.once('close', () => clearTimeout(timeout));
}
