import { OverloadedError } from './errors.ts';

/** Waits for room for `bytes`. Returns their release; throws OverloadedError if `end` is aborted first. */
export type TakeBytes = (bytes: number, end?: AbortSignal) => Promise<() => void>;

type Waiting = { readonly bytes: number; readonly start: () => void };

/**
 * Limits the bytes that are held at once, in order of arrival: a large share is not overtaken by smaller
 * ones. A share that is larger than the limit waits until it is the only one.
 */
export function openByteLimit(maxBytes: number): TakeBytes {
  const waiting = new Set<Waiting>();
  let held = 0;
  const startNext = () => {
    for (const next of waiting) {
      if (held > 0 && held + next.bytes > maxBytes) return;
      waiting.delete(next);
      held += next.bytes;
      next.start();
    }
  };
  return (bytes, end) =>
    new Promise((resolve, reject) => {
      const giveBack = () => {
        held -= bytes;
        startNext();
      };
      const share: Waiting = {
        bytes,
        start: () => {
          end?.removeEventListener('abort', giveUp);
          resolve(giveBack);
        },
      };
      const giveUp = () => {
        waiting.delete(share);
        reject(new OverloadedError());
        startNext();
      };
      if (end?.aborted) return giveUp();
      end?.addEventListener('abort', giveUp);
      waiting.add(share);
      startNext();
    });
}
