import { freeBuffer } from '../shared/join-buffers.ts';

/** The capacity after the first chunk, in bytes. */
const minCapacity = 2 ** 14;

/**
 * Collects chunks in one buffer of up to `maxBytes`, and frees each chunk: many small ones would scatter the
 * memory of the process, and V8 collects them only once there are 64 MB. The buffer doubles when it is full,
 * so that a sender who declares much and sends little costs little. `onGrow` is called with the bytes that
 * are about to be allocated, and may throw.
 */
export function openGrowingBuffer(maxBytes: number, onGrow: (bytes: number) => void) {
  let bytes: Buffer = Buffer.alloc(0);
  let size = 0;
  const growTo = (capacity: number) => {
    onGrow(capacity - bytes.length);
    const larger = Buffer.allocUnsafeSlow(capacity);
    bytes.copy(larger, 0, 0, size);
    freeBuffer(bytes);
    bytes = larger;
  };
  return {
    /** Takes a chunk that is used nowhere else. */
    add(chunk: Buffer): void {
      const { length } = chunk;
      if (size === 0) {
        onGrow(length);
        bytes = detach(chunk);
      } else {
        const isFull = size + length > bytes.length;
        if (isFull) growTo(Math.min(Math.max(2 * bytes.length, size + length, minCapacity), maxBytes));
        chunk.copy(bytes, size);
        freeBuffer(chunk);
      }
      size += length;
    },
    /** Returns all bytes. */
    take: (): Buffer => (bytes.length === size ? bytes : bytes.subarray(0, size)),
    /** Frees the memory: nothing may be added or taken afterwards. */
    drop: (): void => freeBuffer(bytes),
  };
}

/** A chunk shares the memory of all that was read from the socket with it, and would keep it. */
function detach(chunk: Buffer): Buffer {
  return chunk.length * 2 < chunk.buffer.byteLength ? Buffer.from(chunk) : chunk;
}
