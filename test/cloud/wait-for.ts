import { setTimeout as pause } from 'node:timers/promises';

/**
 * Resolves as soon as `isSo` is true; rejects after two minutes: the first request installs the packages of a
 * function.
 */
export async function waitFor(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + 120_000;
  while (!(await isSo())) {
    if (Date.now() > endsAt) throw new Error(`Timed out before ${what}.`);
    await pause(100);
  }
}
