import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { Shutdown } from '../shared/delivery/delivery-deps.ts';

const stopping = new AbortController();
const ending = new AbortController();
// Each delivery in flight listens.
setMaxListeners(0, stopping.signal, ending.signal);

/** The end of this process, for the work of all functions. */
export const shutdown: Shutdown = { stopping: stopping.signal, ending: ending.signal };

/**
 * Begins the end of this process: no work begins any more, and deliveries without an answer are given up
 * after `endingMs`.
 */
export function beginShutdown(endingMs: number): void {
  if (stopping.signal.aborted) return;
  stopping.abort();
  setTimeout(() => ending.abort(), endingMs).unref();
}

// Cloud Run sends SIGKILL ten seconds after SIGTERM.
const endingMs = 6500;
const exitMs = 9000;
const idleCheckMs = 50;

/**
 * Takes SIGTERM and SIGINT over from the framework, which would exit at once: requests in flight are answered
 * first, within 9 s. Begins with the first request: before it there is nothing to finish, and no server to
 * find.
 */
export function finishBeforeExit(): void {
  const onRequest = (message: unknown) => {
    unsubscribe('http.server.request.start', onRequest);
    const { server } = message as { readonly server: Server };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const others = process.rawListeners(signal) as NodeJS.SignalsListener[];
      // First: without any listener Node.js drops a signal that has just arrived.
      process.on(signal, () => stop(server));
      for (const other of others) process.off(signal, other);
    }
  };
  subscribe('http.server.request.start', onRequest);
}

function stop(server: Server): void {
  if (shutdown.stopping.aborted) return;
  beginShutdown(endingMs);
  setTimeout(() => process.exit(0), exitMs);
  server.close(() => process.exit(0));
  // A connection that stays open after its response would keep the server open.
  setInterval(() => server.closeIdleConnections(), idleCheckMs);
}
