import { setTimeout as pause } from 'node:timers/promises';

/** Resolves as soon as `isSo` is true, or rejects after ten seconds, saying what did not come about. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + 10_000;
  while (!(await isSo())) {
    if (Date.now() > endsAt) throw new Error(`Waited ten seconds in vain until ${what}.`);
    await pause(10);
  }
}
