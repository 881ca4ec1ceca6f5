import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRunRequest } from '../../../../shared/replay/run-request.ts';

describe('the pace of a replay', () => {
  const read = (fields: object) => {
    const raw = JSON.stringify({ filter: { ids: ['1'] }, reason: 'a test', ...fields });
    return readRunRequest({ raw, now: new Date() }).rollout;
  };

  it('stands for its ramp, its canary and its gate', () => {
    assert.deepEqual(read({ pace: 'careful' }), {
      pace: 'careful',
      canary: 1,
      ramp: [1, 5, 20, 100],
      gate: { window: 50, maxFailureRatio: 0.1 },
    });
  });

  it('is normal by default, and gives way to a rate', () => {
    assert.equal(read({}).pace, 'normal');
    assert.equal(read({ pace: 'gentle' }).ratePerSecond, 10);
    assert.equal(read({ pace: 'gentle', ratePerSecond: 2 }).ratePerSecond, 2);
  });

  it('is one of those with a name', () => {
    assert.throws(() => read({ pace: 'slow' }), /Use one of careful, normal, /);
  });
});
