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

type Upload = {
  bytes: number;
  readonly beganAt: number;
  isUnfinished: boolean;
  onEvict: (() => void) | undefined;
};

/**
 * Limits the bytes that all requests of an instance hold to `maxBytes`. If there is no room, the slowest
 * unfinished upload makes it: senders that never finish cannot keep out one that sends.
 */
export function openByteBudget(maxBytes: number, now = () => performance.now()): ByteBudget {
  const uploads = new Set<Upload>();
  let held = 0;

  const release = (upload: Upload) => {
    if (!uploads.delete(upload)) return;
    held -= upload.bytes;
    // V8 keeps the former tables of a Set, and all requests in them, until its next full collection.
    upload.onEvict = undefined;
  };
  const add = (upload: Upload, bytes: number) => {
    // Of a request that ended meanwhile.
    if (!uploads.has(upload)) return;
    upload.bytes += bytes;
    held += bytes;
    while (held > maxBytes) {
      const evicted = findSlowest(uploads, now()) ?? upload;
      const { onEvict } = evicted;
      release(evicted);
      if (evicted !== upload) onEvict?.();
    }
    if (!uploads.has(upload)) throw new OverloadedError();
  };

  return (onEvict) => {
    const upload: Upload = { bytes: 0, beganAt: now(), isUnfinished: true, onEvict };
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

/** Returns the unfinished upload of the fewest bytes a second. */
function findSlowest(uploads: Iterable<Upload>, at: number): Upload | undefined {
  const rateOf = ({ bytes, beganAt }: Upload) => bytes / Math.max(at - beganAt, 1);
  let slowest: Upload | undefined;
  for (const upload of uploads) {
    if (upload.isUnfinished && !(slowest && rateOf(slowest) <= rateOf(upload))) slowest = upload;
  }
  return slowest;
}
