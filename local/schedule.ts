import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Calls `tick` with `everySeconds` between two ticks; 0: never. Returns the function that stops it. */
export function startSchedule(everySeconds: number, tick: () => Promise<void>): () => void {
  const stopped = new AbortController();
  const run = async () => {
    while (!stopped.signal.aborted) {
      await delay(everySeconds * 1000, undefined, { signal: stopped.signal });
      await tick();
    }
  };
  if (everySeconds > 0) run().catch(() => {});
  return () => stopped.abort();
}

/** Requests one retry tick and waits for its end. Never rejects: the function logs failures. fetch would time out after 5 min. */
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
