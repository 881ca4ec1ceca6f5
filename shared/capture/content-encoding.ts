import * as zlib from 'node:zlib';

/** Undefined: Node.js 20, which may run `npx dead-letter-office`, has no zstd. */
export type Open = () => zlib.Gunzip | undefined;
type Decompress = (bytes: Buffer, options: { maxOutputLength: number; info: true }) => unknown;

/** By a stream, and at once. */
type Encoding = readonly [open: Open, decompress: Decompress];

const gzip: Encoding = [zlib.createGunzip, zlib.gunzipSync];
const encodings = new Map<string, Encoding>([
  ['gzip', gzip],
  // RFC 9110, 8.4.1.3
  ['x-gzip', gzip],
  ['deflate', [zlib.createInflate, zlib.inflateSync]],
  ['br', [zlib.createBrotliDecompress, zlib.brotliDecompressSync]],
  ['zstd', [() => zlib.createZstdDecompress?.(), zlib.zstdDecompressSync]],
]);

export const explainEncoding = (name: string) =>
  `Content-Encoding "${name.slice(0, 40)}" is none of ${[...encodings.keys()].join(', ')} (up to three): kept as sent`;

/** zstd writes a stream of frames (RFC 8878, 3). Each is opened anew: a sender could choose a million. */
export const maxFrames = 100;

/** All frames: bytes behind the first are content, too. Throws for other bytes, and for too many. */
export function decompressAtOnce(decompress: Decompress, bytes: Buffer, maxOutputLength: number): Buffer[] {
  const frames: Buffer[] = [];
  let left = maxOutputLength;
  for (let rest = bytes; frames.length === 0 || rest.length > 0; ) {
    if (frames.length === maxFrames) throw new TypeError('too many frames');
    // The types of Node.js do not know what it returns with `info`. It throws a RangeError for too few bytes.
    const opened = decompress(rest, { maxOutputLength: left, info: true });
    const { buffer, engine } = opened as { readonly buffer: Buffer; readonly engine: zlib.Zlib };
    frames.push(buffer);
    left -= buffer.length;
    rest = rest.subarray(engine.bytesWritten);
  }
  return frames;
}

/** Many senders write deflate without the frame of zlib, whose first two bytes are a multiple of 31. */
export function findEncoding(name: string, bytes: Buffer): Encoding | undefined {
  const isFramed = bytes.length > 1 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return name === 'deflate' && !isFramed ? [zlib.createInflateRaw, zlib.inflateRawSync] : encodings.get(name);
}

/** No sender compresses twice on purpose. */
const maxEncodings = 3;

/** Names such as of `gzip, identity`, the one that was applied last first; undefined for too many. */
export function listEncodings(header: string): readonly string[] | undefined {
  const names = header.toLowerCase().split(',', maxEncodings + 1);
  const applied = names.map((name) => name.trim()).filter((name) => name !== 'identity' && name !== '');
  return names.length > maxEncodings ? undefined : applied.reverse();
}
