import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { collectBatches } from '../../shared/collect-batches.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('a collector of batches', () => {
  const open = (settings: { most?: number; waitMs?: number; isComplete?: () => boolean } = {}) => {
    const batches: (readonly number[])[] = [];
    let atWork = 0;
    let mostAtWork = 0;
    const collector = collectBatches<number>({
      most: 3,
      waitMs: 1_000_000,
      isComplete: () => false,
      ...settings,
      async take(batch) {
        mostAtWork = Math.max(mostAtWork, ++atWork);
        await turn();
        batches.push(batch);
        atWork -= 1;
      },
      onTaken() {},
    });
    return { ...collector, batches, mostAtWork: () => mostAtWork };
  };

  it('hands on as many as are wanted at once, and keeps the rest', async () => {
    const { add, batches } = open();
    for (const item of [1, 2, 3, 4]) add(item);
    await waitUntil('a batch was taken', () => batches.length > 0);
    assert.deepEqual(batches, [[1, 2, 3]]);
    // What is kept would keep the process waiting, too.
    add(5);
    add(6);
  });

  it('hands on fewer once they are all there will be', async () => {
    let isComplete = false;
    const { add, batches } = open({ isComplete: () => isComplete });
    add(1);
    isComplete = true;
    add(2);
    await waitUntil('a batch was taken', () => batches.length > 0);
    assert.deepEqual(batches, [[1, 2]]);
  });

  it('hands on fewer when they have waited for long enough', async () => {
    const { add, batches } = open({ waitMs: 1 });
    add(1);
    await waitUntil('a batch was taken', () => batches.length > 0);
    assert.deepEqual(batches, [[1]]);
  });

  it('hands on each item once and in order, one batch at a time, however they come', async () => {
    const pauses = fc.array(fc.boolean(), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.integer({ min: 1, max: 5 }), async (comings, most) => {
        const { add, batches, isEmpty, mostAtWork } = open({ most, waitMs: 0 });
        for (const [item, pausesFirst] of comings.entries()) {
          if (pausesFirst) await turn();
          add(item);
        }
        await waitUntil('all were taken', isEmpty);
        assert.deepEqual(batches.flat(), [...comings.keys()]);
        assert.ok(mostAtWork() <= 1);
      }),
      { numRuns: 50 },
    );
  });
});
