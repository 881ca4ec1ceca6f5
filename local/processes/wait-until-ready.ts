import { setTimeout as delay } from 'node:timers/promises';

/** Waits until all of them are ready. Rejects with the signal's reason when that comes first. */
export async function waitUntilReady(
  services: readonly { readonly isReady: () => boolean }[],
  signal: AbortSignal,
): Promise<void> {
  while (!services.every(({ isReady }) => isReady())) {
    signal.throwIfAborted();
    await delay(20);
  }
}
