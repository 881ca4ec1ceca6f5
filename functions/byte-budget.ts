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

type Upload = { bytes: number; isUnfinished: boolean; readonly onEvict: () => void };

/**
 * Limits the bytes that all requests of an instance hold to `maxBytes`. If there is no room, the largest unfinished upload
 * makes it: senders that upload much and never finish cannot keep out a small request.
 */
export function openByteBudget(maxBytes: number): ByteBudget {
  const uploads = new Set<Upload>();
  let held = 0;

  const release = (upload: Upload) => {
    if (uploads.delete(upload)) held -= upload.bytes;
  };
  const makeRoom = () => {
    const unfinished = [...uploads].filter(({ isUnfinished }) => isUnfinished);
    const [largest] = unfinished.sort((a, b) => b.bytes - a.bytes);
    if (largest) release(largest);
    return largest;
  };
  const add = (upload: Upload, bytes: number) => {
    // Of a request that ended meanwhile.
    if (!uploads.has(upload)) return;
    upload.bytes += bytes;
    held += bytes;
    while (held > maxBytes && uploads.has(upload)) {
      const evicted = makeRoom();
      if (!evicted) release(upload);
      else if (evicted !== upload) evicted.onEvict();
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
