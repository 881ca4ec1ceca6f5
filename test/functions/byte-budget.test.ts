import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openByteBudget } from '../../functions/byte-budget.ts';

describe('a full budget of bytes', () => {
  it('evicts the slowest unfinished upload, not the largest', () => {
    let now = 0;
    const evicted: string[] = [];
    const openShare = openByteBudget(100, () => now);
    const open = (name: string) => openShare(() => evicted.push(name));
    const [stalled, large] = [open('stalled'), open('large')];
    stalled.add(10);
    now = 5000;
    const quick = open('quick');
    large.add(60);
    now = 5100;
    quick.add(20);
    quick.add(20);

    assert.deepEqual(evicted, ['stalled']);
  });

  it('evicts no upload that is complete', () => {
    let now = 0;
    const openShare = openByteBudget(100, () => now);
    const complete = openShare(() => assert.fail('it was complete'));
    complete.add(90);
    complete.complete();
    now = 1000;
    const late = openShare(() => {});

    assert.throws(() => late.add(20), { code: 'OVERLOADED' });
    assert.throws(() => complete.add(20), { code: 'OVERLOADED' });
  });

  it('has room for others after a request that ended while its bytes were read', () => {
    const openShare = openByteBudget(100);
    const ended = openShare(() => assert.fail('it has ended'));
    ended.release();
    ended.add(200);
    openShare(() => assert.fail('there is room')).add(100);
  });
});
