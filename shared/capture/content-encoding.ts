import * as zlib from 'node:zlib';

/** Undefined: Node.js 20, which may run `npx dead-letter-office`, has no zstd. */
export type Open = () => ({ end(bytes: Buffer): unknown } & AsyncIterable<Buffer>) | undefined;
type Decompress = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** By a stream, and at once. */
type Encoding = readonly [open: Open, decompress: Decompress];

const gzip: Encoding = [zlib.createGunzip, zlib.gunzipSync];
const rawDeflate: Encoding = [zlib.createInflateRaw, zlib.inflateRawSync];
const encodings = new Map<string, Encoding>([
  ['gzip', gzip],
  // RFC 9110, 8.4.1.3
  ['x-gzip', gzip],
  ['deflate', [zlib.createInflate, zlib.inflateSync]],
  ['br', [zlib.createBrotliDecompress, zlib.brotliDecompressSync]],
  ['zstd', [() => zlib.createZstdDecompress?.(), zlib.zstdDecompressSync]],
]);

/** Many senders write deflate without the frame of zlib, whose first two bytes are a multiple of 31. */
export function findEncoding(name: string, bytes: Buffer): Encoding | undefined {
  const isFramed = bytes.length > 1 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return name === 'deflate' && !isFramed ? rawDeflate : encodings.get(name);
}

/** No sender compresses twice on purpose. */
const maxEncodings = 3;

/** Names such as of `gzip, identity`, the one that was applied last first; undefined for too many. */
export function listEncodings(header: string): readonly string[] | undefined {
  const names = header.toLowerCase().split(',', maxEncodings + 1);
  const applied = names.map((name) => name.trim()).filter((name) => name !== 'identity' && name !== '');
  return names.length > maxEncodings ? undefined : applied.reverse();
}
