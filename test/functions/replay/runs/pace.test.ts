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
      canary: 1,
      ramp: [1, 5, 20, 100],
      gate: { window: 50, maxFailureRatio: 0.1 },
    });
  });

  it('gives way to what the request sets itself', () => {
    const { canary, ramp, gate } = read({ pace: 'careful', canary: 10, gate: false });
    assert.deepEqual({ canary, ramp, gate }, { canary: 10, ramp: [1, 5, 20, 100], gate: false });
  });

  it('is one of those with a name', () => {
    assert.throws(() => read({ pace: 'slow' }), /Use one of careful, normal, /);
  });
});
