import type { IncomingMessage, ServerResponse } from 'node:http';
import { OverloadedError, TooLargeError } from '../shared/errors.ts';
import { type ByteShare, openByteBudget } from './byte-budget.ts';

/** A body as it was sent. `share` has its bytes until the response has been sent. */
export type Body = { readonly bytes: Buffer; readonly share: Pick<ByteShare, 'add'> };

/**
 * Reads the body of a request. Throws TooLargeError, before reading if the sender declares the size, and OverloadedError.
 * Never settles if the sender disconnects first.
 */
export type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<Body>;

/** Bodies of the maximum size that one instance may hold. Each costs a multiple of its size until it is stored. */
const maxBodies = 3;

/** Memory of a chunk beside its bytes: a sender chooses the size of its chunks. */
export const chunkBytes = 256;
/** Chunks that one body may have if they are smaller than that on average: each takes time in the parser of Node.js. */
const maxSmallChunks = 16_384;

/** Opens the reader of bodies of up to `maxBytes` for all requests of an instance. */
export function openBodyReader(maxBytes: number): ReadBody {
  const openShare = openByteBudget(maxBodies * maxBytes);
  return (request, response) =>
    new Promise((resolve, reject) => {
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new TooLargeError(maxBytes);
      const chunks: Buffer[] = [];
      let size = 0;
      const stop = (error: unknown) => {
        request.off('data', read).off('end', finish);
        chunks.length = 0;
        share.release();
        reject(error);
      };
      const share = openShare(() => stop(new OverloadedError()));
      const read = (chunk: Buffer) => {
        size += chunk.length;
        const isShredded = chunks.length >= maxSmallChunks && size < chunks.length * chunkBytes;
        if (size > maxBytes || isShredded) return stop(new TooLargeError(maxBytes));
        try {
          share.add(chunk.length + chunkBytes);
        } catch (error) {
          return stop(error);
        }
        chunks.push(detach(chunk));
      };
      const finish = () => {
        share.complete();
        const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
        chunks.length = 0;
        resolve({ bytes, share });
      };
      response.once('close', share.release);
      request.on('data', read).on('end', finish);
    });
}

/** A chunk is part of all that was read from the socket with it, which one byte of it would keep in memory. */
function detach(chunk: Buffer): Buffer {
  return chunk.length * 2 < chunk.buffer.byteLength ? Buffer.from(chunk) : chunk;
}
