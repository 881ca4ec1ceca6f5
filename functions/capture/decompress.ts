import { findEncoding, listEncodings, type Open } from '../../shared/capture/content-encoding.ts';
import { OverloadedError } from '../../shared/errors.ts';
import type { Body } from '../read-body.ts';

/**
 * Returns a body without its content encodings, such as `gzip, identity`. Returns undefined if it cannot be
 * decompressed, or only to more than `maxBytes`: it is kept as received, an event like any other. Throws
 * OverloadedError.
 */
export async function decompress(
  { bytes, share }: Body,
  encoding: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const encodings = listEncodings(encoding);
  if (!encodings) return undefined;
  let decompressed: Buffer | undefined = bytes;
  for (const name of encodings) {
    const open: Open | undefined = findEncoding(name, decompressed)?.[0];
    decompressed = await run(open, { bytes: decompressed, share }, maxBytes);
    if (!decompressed) return undefined;
  }
  return decompressed;
}

async function run(
  open: Open | undefined,
  { bytes, share }: Body,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const decompressor = open?.();
  if (!decompressor) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    decompressor.end(bytes);
    for await (const chunk of decompressor) {
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
