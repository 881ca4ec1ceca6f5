/** Joins buffers and frees them: V8 collects such garbage only once there are 64 MB of it. */
export function joinBuffers(buffers: readonly Buffer[]): Buffer {
  const [first] = buffers;
  if (first && buffers.length === 1) return first;
  const whole = Buffer.concat(buffers);
  for (const each of buffers) freeBuffer(each);
  return whole;
}

/** Frees a buffer that is no longer used, unless it shares its memory with others. */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  const isWhole = buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength;
  if (isWhole) buffer.transfer(0);
}
