import { findEncoding, listEncodings, maxFrames, type Open } from '../../shared/capture/content-encoding.ts';
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
  const chunks: Buffer[] = [];
  let size = 0;
  let rest = bytes;
  try {
    for (let frame = 0; frame === 0 || rest.length > 0; frame++) {
      const decompressor = frame < maxFrames ? open?.() : undefined;
      if (!decompressor) throw new TypeError('not decompressed');
      decompressor.end(rest);
      for await (const chunk of decompressor) {
        share.add(chunk.length);
        size += chunk.length;
        if (size > maxBytes) throw new TypeError('too large');
        chunks.push(chunk);
      }
      // Bytes behind a frame are content, too.
      rest = rest.subarray(decompressor.bytesWritten);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof OverloadedError) throw error;
    share.add(-size);
    return undefined;
  }
}
