import { setTimeout as pause } from 'node:timers/promises';

/** Only ends a test that hangs. */
const timeoutMs = 5 * 60_000;

/** Resolves as soon as `isSo` is true. Rejects after five minutes, with the name of the condition. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > endsAt) throw new Error(`Timed out after five minutes: ${what}.`);
    await pause(10);
  }
}
