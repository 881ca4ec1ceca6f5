import { setTimeout as pause } from 'node:timers/promises';

/** Only ends a test that hangs. */
const timeoutMs = 5 * 60_000;

/** Resolves as soon as `isSo` is true. Rejects after five minutes, with the name of the condition. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = Date.now();
  while (!(await isSo())) {
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`Timed out after five minutes: ${what}.`);
    // A long wait asks less often: what is asked costs processor time, too.
    await pause(Math.min(50, 10 + waitedMs / 50));
  }
}
