import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Calls `tick` every so many seconds, never twice at once; 0 is never. Returns how to end it. */
export function startSchedule(everySeconds: number, tick: () => Promise<void>): () => void {
  const ending = new AbortController();
  const run = async () => {
    while (!ending.signal.aborted) {
      await delay(everySeconds * 1000, undefined, { signal: ending.signal });
      await tick();
    }
  };
  if (everySeconds > 0) run().catch(() => {});
  return () => ending.abort();
}

/**
 * Asks for one retry tick and waits for its end, however long that takes: unlike fetch, which gives up after five
 * minutes. Whatever comes of it is seen in the function's log.
 */
export function requestTick(port: number): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/retry', method: 'POST', agent: false },
      (answer) => {
        answer.resume().once('close', resolve);
      },
    );
    outgoing.once('error', () => resolve()).end();
  });
}
