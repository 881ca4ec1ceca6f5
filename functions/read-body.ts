import type { IncomingMessage, ServerResponse } from 'node:http';
import { OverloadedError, TooLargeError } from '../shared/errors.ts';
import { type ByteShare, openByteBudget } from './byte-budget.ts';
import { openGrowingBuffer } from './growing-buffer.ts';

/** A body as it was sent. `share` has its bytes until the response has been sent. */
export type Body = { readonly bytes: Buffer; readonly share: Pick<ByteShare, 'add'> };

/** Throws TooLargeError, before it reads if it can, or OverloadedError. Never settles for a lost sender. */
export type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<Body>;

/** Bodies of the maximum size that one instance may hold: each costs a multiple until it is stored. */
const maxBodies = 3;

/** A chunk costs as much as these bytes: a sender chooses the size of its chunks. */
export const chunkBytes = 256;
/** Chunks that a body may have if they are smaller on average: each takes time in the parser. */
const maxSmallChunks = 16_384;

/** Opens the reader of bodies of up to `maxBytes` for all requests of an instance. */
export function openBodyReader(maxBytes: number): ReadBody {
  const openShare = openByteBudget(maxBodies * maxBytes);
  return (request, response) =>
    new Promise((resolve, reject) => {
      const declared = Number(request.headers['content-length'] ?? maxBytes);
      if (declared > maxBytes) throw new TooLargeError(maxBytes);
      const share = openShare(() => stop(new OverloadedError()));
      const body = openGrowingBuffer(declared, share.add);
      let size = 0;
      let chunks = 0;
      const abandon = () => {
        request.off('data', read).off('end', finish);
        body.drop();
        share.release();
      };
      const stop = (error: unknown) => {
        abandon();
        reject(error);
      };
      const read = (chunk: Buffer) => {
        size += chunk.length;
        chunks += 1;
        const isShredded = chunks > maxSmallChunks && size < chunks * chunkBytes;
        if (size > maxBytes || isShredded) return stop(new TooLargeError(maxBytes));
        try {
          body.add(chunk);
        } catch (error) {
          stop(error);
        }
      };
      const finish = () => {
        share.complete();
        resolve({ bytes: body.take(), share });
      };
      response.once('close', () => (request.readableEnded ? share.release() : abandon()));
      request.on('data', read).on('end', finish);
    });
}
