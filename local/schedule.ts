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
