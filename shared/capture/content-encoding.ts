import * as zlib from 'node:zlib';
import { joinBuffers } from '../join-buffers.ts';

type Decompress = (bytes: Buffer, options: { maxOutputLength: number; info: true }) => unknown;

const encodings = new Map<string, Decompress | undefined>([
  ['gzip', zlib.gunzipSync],
  // RFC 9110, 8.4.1.3
  ['x-gzip', zlib.gunzipSync],
  ['deflate', zlib.inflateSync],
  ['br', zlib.brotliDecompressSync],
  // Node.js 20, which may run `npx dead-letter-office`, has no zstd.
  ['zstd', zlib.zstdDecompressSync],
]);

const explainEncoding = (name: string) =>
  `Content-Encoding "${name.slice(0, 40)}" is none of ${[...encodings.keys()].join(', ')} (up to three): kept as sent`;

/** zstd writes a stream of frames (RFC 8878, 3). Each is opened anew: a sender could choose a million. */
const maxFrames = 100;

/** All frames: bytes behind the first are content, too. Throws for other bytes, and for too many. */
function decompressFrames(decompress: Decompress, bytes: Buffer, maxOutputLength: number) {
  const frames: Buffer[] = [];
  let left = maxOutputLength;
  for (let rest = bytes; frames.length === 0 || rest.length > 0; ) {
    if (frames.length === maxFrames) throw new TypeError('too many frames');
    // The types of Node.js do not know what it returns with `info`. It throws a RangeError for too few bytes.
    const opened = decompress(rest, { maxOutputLength: left, info: true });
    const { buffer, engine } = opened as { buffer: Buffer; engine: { bytesWritten: number } };
    frames.push(buffer);
    left -= buffer.length;
    rest = rest.subarray(engine.bytesWritten);
  }
  return frames;
}

/** Many senders write deflate without the frame of zlib, whose first two bytes are a multiple of 31. */
function findEncoding(name: string, bytes: Buffer): Decompress | undefined {
  const isFramed = bytes.length > 1 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return name === 'deflate' && !isFramed ? zlib.inflateRawSync : encodings.get(name);
}

/** No sender compresses twice on purpose. */
const maxEncodings = 3;

/** Names such as of `gzip, identity`, the one that was applied last first; undefined for too many. */
function listEncodings(header: string): readonly string[] | undefined {
  const names = header.toLowerCase().split(',', maxEncodings + 1);
  const applied = names.map((name) => name.trim()).filter((name) => name !== 'identity' && name !== '');
  return names.length > maxEncodings ? undefined : applied.reverse();
}

/** Decompressed bytes of one body, and all that are left: each frame takes time, as some do. */
export type Budget = { readonly max: number; left: number };

const frameBytes = 256;
const tooLarge = 'not read: more than 1 MiB decompressed, or 8 MiB of its request';

/**
 * A body without the encodings that a header names. `unread`: why it has some of them, or all; `plain` is
 * then without those that were undone.
 */
export function decompress(body: Buffer, header: string, budget: Budget) {
  let plain = body;
  for (const name of listEncodings(header) ?? [header]) {
    const encoding = findEncoding(name, plain);
    if (!encoding) return { plain, unread: explainEncoding(name) };
    const maxOutputLength = Math.min(budget.left, budget.max);
    try {
      const frames = decompressFrames(encoding, plain, maxOutputLength);
      plain = joinBuffers(frames);
      budget.left -= plain.length + frameBytes * frames.length;
    } catch (error) {
      budget.left -= Math.min(maxOutputLength, plain.length * 1000);
      return { plain, unread: error instanceof RangeError ? tooLarge : `not ${name}` };
    }
  }
  return { plain };
}
