import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { decompress } from '../../../functions/capture/decompress.ts';

const mebi = 2 ** 20;
const plain = Buffer.alloc(8 * mebi, ' ');

describe('a request with a content encoding', () => {
  for (const [encoding, compressed] of Object.entries({
    gzip: gzipSync(plain),
    deflate: deflateSync(plain),
    br: brotliCompressSync(plain),
    zstd: zstdCompressSync(plain),
  })) {
    it(`leaves turns to other requests while its ${encoding} is undone`, async () => {
      const share = { add: () => {} };
      const undone = decompress({ bytes: compressed, share }, encoding, 16 * mebi);

      assert.equal(await Promise.race([undone, nextTurn('others')]), 'others');
      assert.deepEqual(await undone, plain);
    });
  }
});
