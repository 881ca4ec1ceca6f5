import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
} from 'node:zlib';
import { OverloadedError } from '../../shared/errors.ts';
import type { Body } from '../read-body.ts';

const decompressors = new Map<string, () => BrotliDecompress | Gunzip>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Returns a body without its content encoding. Returns undefined if it cannot be decompressed, or only to more than `maxBytes`: it
 * is kept as received, an event like any other. Throws OverloadedError.
 */
export async function decompress(
  { bytes, share }: Body,
  encoding: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const decompressor = decompressors.get(encoding.toLowerCase())?.();
  if (!decompressor) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    decompressor.end(bytes);
    for await (const chunk of decompressor as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) {
        share.add(chunk.length - size);
        return undefined;
      }
      share.add(chunk.length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof OverloadedError) throw error;
    share.add(-size);
    return undefined;
  }
}
