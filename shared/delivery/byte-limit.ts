/** Waits until `bytes` may be held beside what others hold, and returns the function that gives them back. */
export type TakeBytes = (bytes: number) => Promise<() => void>;

/**
 * Limits the bytes that are held at once, in order of arrival: a large share is not overtaken by smaller ones. A share that is
 * larger than the limit waits until it is the only one.
 */
export function openByteLimit(maxBytes: number): TakeBytes {
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  let held = 0;
  const startNext = () => {
    for (;;) {
      const [next] = waiting;
      if (!next || (held > 0 && held + next.bytes > maxBytes)) return;
      waiting.shift();
      held += next.bytes;
      next.start();
    }
  };
  return (bytes) =>
    new Promise((resolve) => {
      const giveBack = () => {
        held -= bytes;
        startNext();
      };
      waiting.push({ bytes, start: () => resolve(giveBack) });
      startNext();
    });
}
