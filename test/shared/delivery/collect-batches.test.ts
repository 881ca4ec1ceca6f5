import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { collectBatches } from '../../../shared/delivery/collect-batches.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a batch collector', () => {
  const open = ({
    max = 3,
    ...settings
  }: {
    max?: number;
    waitMs?: number;
    isComplete?: () => boolean;
  } = {}) => {
    const batches: (readonly number[])[] = [];
    let atWork = 0;
    let maxAtWork = 0;
    const collector = collectBatches<number>({
      max: () => max,
      waitMs: 1_000_000,
      isComplete: () => false,
      ...settings,
      async take(batch) {
        maxAtWork = Math.max(maxAtWork, ++atWork);
        await turn();
        batches.push(batch);
        atWork -= 1;
      },
      onTaken() {},
    });
    return { ...collector, batches, maxAtWork: () => maxAtWork };
  };

  it('takes a full batch at once, and keeps the rest', async () => {
    const { add, batches } = open();
    for (const item of [1, 2, 3, 4]) add(item);
    await waitUntil('a batch was taken', () => batches.length > 0);
    assert.deepEqual(batches, [[1, 2, 3]]);
    // Remaining items would keep the process waiting.
    add(5);
    add(6);
  });

  it('takes a smaller batch once no more items are expected', async () => {
    let isComplete = false;
    const { add, batches } = open({ isComplete: () => isComplete });
    add(1);
    isComplete = true;
    add(2);
    await waitUntil('a batch was taken', () => batches.length > 0);
    assert.deepEqual(batches, [[1, 2]]);
  });

  it('takes a smaller batch after waitMs', async () => {
    const { add, batches } = open({ waitMs: 1 });
    add(1);
    await waitUntil('a batch was taken', () => batches.length > 0);
    assert.deepEqual(batches, [[1]]);
  });

  it('takes each item once and in order, one batch at a time', async () => {
    const pauses = fc.array(fc.boolean(), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.integer({ min: 1, max: 5 }), async (comings, max) => {
        const { add, batches, isEmpty, maxAtWork } = open({ max, waitMs: 0 });
        for (const [item, pausesFirst] of comings.entries()) {
          if (pausesFirst) await turn();
          add(item);
        }
        await waitUntil('all were taken', isEmpty);
        assert.deepEqual(batches.flat(), [...comings.keys()]);
        assert.ok(maxAtWork() <= 1);
      }),
      { numRuns: 50 },
    );
  });
});
