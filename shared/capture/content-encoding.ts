import * as zlib from 'node:zlib';

/** No sender compresses twice on purpose. */
const maxEncodings = 3;

/** Names of encodings such as `gzip, identity`, the one that was applied last first; undefined for too many. */
export function listEncodings(header: string): readonly string[] | undefined {
  const names = header.toLowerCase().split(',', maxEncodings + 1);
  const applied = names.map((name) => name.trim()).filter((name) => name !== 'identity' && name !== '');
  return names.length > maxEncodings ? undefined : applied.reverse();
}

/** Many senders write deflate without the frame of zlib, whose first two bytes are a multiple of 31. */
export function isFramed(bytes: Buffer): boolean {
  return bytes.length > 1 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

type Decompress = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** At once: of small messages only. */
export const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', zlib.gunzipSync],
  // RFC 9110, 8.4.1.3
  ['x-gzip', zlib.gunzipSync],
  ['deflate', (bytes, options) => (isFramed(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options)],
  ['br', zlib.brotliDecompressSync],
  ['zstd', zlib.zstdDecompressSync],
]);
