import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rateOf } from '../../../../shared/replay/rollout.ts';
import { readRunRequest } from '../../../../shared/replay/run-request.ts';

describe('the pace of a replay', () => {
  const read = (fields: object) => {
    const raw = JSON.stringify({ filter: { ids: ['1'] }, reason: 'a test', ...fields });
    return readRunRequest({ raw, now: new Date() }).rollout;
  };

  it('is normal by default, and gives way to a rate', () => {
    assert.equal(read({}).pace, 'normal');
    assert.equal(rateOf(read({ pace: 'gentle' })), 10);
    assert.equal(rateOf(read({ pace: 'gentle', ratePerSecond: 2 })), 2);
  });

  it('is one of those with a name', () => {
    assert.throws(() => read({ pace: 'slow' }), /Use one of careful, normal, /);
  });
});
