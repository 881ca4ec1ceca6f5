import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openGrowingBuffer } from '../../functions/growing-buffer.ts';

describe('a growing buffer', () => {
  it('has all chunks in order, and takes at most twice their size and 16 KiB', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(chunks, fc.boolean(), (arrays, isDeclared) => {
        const sent = Buffer.concat(arrays);
        let taken = 0;
        const buffer = openGrowingBuffer(isDeclared ? sent.length : 2 ** 20, (bytes) => {
          taken += bytes;
        });
        for (const each of arrays) buffer.add(Buffer.from(each));
        assert.ok(buffer.take().equals(sent));
        assert.ok(
          taken <= Math.max(2 * sent.length, 2 ** 14) &&
            (!isDeclared || taken === sent.length || taken <= 2 ** 14),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('frees each chunk after the first, and takes nothing that was rejected', () => {
    let left = 20_000;
    const buffer = openGrowingBuffer(100_000, (bytes) => {
      left -= bytes;
      if (left < 0) throw new Error('full');
    });
    const chunks = [1, 2, 3].map((n) => Buffer.allocUnsafeSlow(8000).fill(n));
    const [first, second, third] = chunks as [Buffer, Buffer, Buffer];
    buffer.add(first);
    buffer.add(second);
    assert.deepEqual([first.length, second.length], [0, 0]);
    assert.throws(() => buffer.add(third), /full/);
    assert.equal(buffer.take().length, 16_000);
    buffer.drop();
    buffer.drop();
  });
});
