import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { Shutdown } from '../shared/delivery/delivery-deps.ts';
import { onFirstRequest } from './raw-requests.ts';

const stopping = new AbortController();
const ending = new AbortController();
// Each delivery in flight listens.
setMaxListeners(0, stopping.signal, ending.signal);

/** The end of this process, for the work of all functions. */
export const shutdown: Shutdown = { stopping: stopping.signal, ending: ending.signal };

// Cloud Run sends SIGKILL ten seconds after SIGTERM.
const endingMs = 6500;
const exitMs = 9000;
const idleCheckMs = 50;

/**
 * Takes SIGTERM and SIGINT over from the framework, which would exit at once: requests in flight are answered
 * first, within 9 s. Begins with the first request: before it there is nothing to finish.
 */
export function finishBeforeExit(): void {
  onFirstRequest((server) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const others = process.rawListeners(signal) as NodeJS.SignalsListener[];
      // First: without any listener Node.js drops a signal that has just arrived.
      process.on(signal, () => {
        if (!stopping.signal.aborted) void finish(server).then(() => process.exit(0));
      });
      for (const other of others) process.off(signal, other);
    }
  });
}

/**
 * Ends the work of this process: no work begins, requests in flight are answered, and deliveries without an
 * answer after 6.5 s are given up. Resolves when the server has no connection left, after 9 s at the latest.
 */
export async function finish(server: Server): Promise<void> {
  stopping.abort();
  const timers = [
    setTimeout(() => ending.abort(), endingMs),
    setTimeout(() => server.closeAllConnections(), exitMs),
    // A connection that stays open after its response would keep the server open.
    setInterval(() => server.closeIdleConnections(), idleCheckMs),
  ];
  await new Promise((resolve) => server.close(resolve));
  for (const timer of timers) clearTimeout(timer);
}
