import { OverloadedError } from '../shared/errors.ts';

/** The bytes that one request holds. */
export type ByteShare = {
  /** Adds bytes. Throws OverloadedError if there is no room for them; the share is released then. */
  add(bytes: number): void;
  /** Its upload is complete: it can no longer be evicted. */
  complete(): void;
  release(): void;
};

/** Opens the share of a request. `onEvict` is called if its unfinished upload has to make room for others. */
export type ByteBudget = (onEvict: () => void) => ByteShare;

type Upload = { bytes: number; isUnfinished: boolean; onEvict: (() => void) | undefined };

/**
 * Limits the bytes that all requests of an instance hold to `maxBytes`. If there is no room, the largest
 * unfinished upload makes it: senders that upload much and never finish cannot keep out a small request.
 */
export function openByteBudget(maxBytes: number): ByteBudget {
  const uploads = new Set<Upload>();
  let held = 0;

  const release = (upload: Upload) => {
    if (!uploads.delete(upload)) return;
    held -= upload.bytes;
    // V8 keeps the former tables of a Set, and all requests in them, until its next full collection.
    upload.onEvict = undefined;
  };
  const findLargest = () => {
    const unfinished = [...uploads].filter(({ isUnfinished }) => isUnfinished);
    return unfinished.sort((a, b) => b.bytes - a.bytes)[0];
  };
  const add = (upload: Upload, bytes: number) => {
    // Of a request that ended meanwhile.
    if (!uploads.has(upload)) return;
    upload.bytes += bytes;
    held += bytes;
    while (held > maxBytes && uploads.has(upload)) {
      const evicted = findLargest() ?? upload;
      const { onEvict } = evicted;
      release(evicted);
      if (evicted !== upload) onEvict?.();
    }
    if (!uploads.has(upload)) throw new OverloadedError();
  };

  return (onEvict) => {
    const upload = { bytes: 0, isUnfinished: true, onEvict };
    uploads.add(upload);
    return {
      add: (bytes) => add(upload, bytes),
      complete: () => {
        upload.isUnfinished = false;
      },
      release: () => release(upload),
    };
  };
}
