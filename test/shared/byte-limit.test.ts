import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openByteLimit } from '../../shared/byte-limit.ts';

describe('a limit in bytes', () => {
  /** Takes shares of these sizes, and returns the indexes of those that were given so far. */
  const takeAll = (max: number, sizes: readonly number[]) => {
    const take = openByteLimit(max);
    const given: number[] = [];
    const giveBack = sizes.map(async (bytes, index) => {
      const release = await take(bytes);
      given.push(index);
      return release;
    });
    return { given, giveBack: async (index: number) => (await giveBack[index])?.() };
  };

  it('gives shares in order, and a large one is not overtaken by a small one', async () => {
    const { given, giveBack } = takeAll(10, [6, 4, 8, 1]);
    await setImmediate();
    assert.deepEqual(given, [0, 1]);
    await giveBack(1);
    await setImmediate();
    assert.deepEqual(given, [0, 1]);
    await giveBack(0);
    await setImmediate();
    assert.deepEqual(given, [0, 1, 2, 3]);
  });

  it('gives a share that is larger than the limit once it is the only one', async () => {
    const { given, giveBack } = takeAll(10, [1, 30, 1]);
    await setImmediate();
    assert.deepEqual(given, [0]);
    await giveBack(0);
    await setImmediate();
    assert.deepEqual(given, [0, 1]);
    await giveBack(1);
    await setImmediate();
    assert.deepEqual(given, [0, 1, 2]);
  });

  it('keeps no place for a share that is no longer wanted', async () => {
    const take = openByteLimit(10);
    const giveBack = await take(6);
    const end = new AbortController();
    const large = take(8, end.signal);
    const small = take(4);
    end.abort();
    await assert.rejects(large, { code: 'OVERLOADED' });
    await small;
    await assert.rejects(take(1, end.signal), { code: 'OVERLOADED' });
    giveBack();
    await take(6);
  });
});
