import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffSeconds } from '../../../../shared/delivery/policy/next-state.ts';
import type { Backoff } from '../../../../shared/delivery/policy/policy.ts';
import { anExponential, anyBackoff, anyExponential, chance, failures } from '../../../support/backoffs.ts';

const never = () => assert.fail('Without jitter nothing is left to chance.');
const delays = (backoff: Backoff, ...counts: number[]) =>
  counts.map((count) => backoffSeconds(backoff, count, never));

function maxSeconds(backoff: Backoff): number {
  if (backoff.kind === 'fixed') return backoff.delaySeconds;
  return backoff.kind === 'schedule' ? Math.max(...backoff.delaysSeconds) : backoff.capSeconds;
}

describe('the backoff', () => {
  it('is one minute after the first failure and doubles with each further one, up to the cap', () => {
    assert.deepEqual(
      delays(anExponential(), 1, 2, 3, 4, 9, 10, 240),
      [60, 120, 240, 480, 15_360, 21_600, 21_600],
    );
  });

  it('of kind fixed is the same after each failure', () => {
    assert.deepEqual(
      delays({ kind: 'fixed', delaySeconds: 300, jitter: 'none' }, 1, 2, 240),
      [300, 300, 300],
    );
  });

  it('of kind schedule follows its delays and repeats the last one', () => {
    const schedule: Backoff = { kind: 'schedule', delaysSeconds: [10, 600, 60], jitter: 'none' };

    assert.deepEqual(delays(schedule, 1, 2, 3, 4, 240), [10, 600, 60, 60, 60]);
  });

  it('is a number from zero to the configured maximum for any configuration', () => {
    fc.assert(
      fc.property(anyBackoff, failures, chance, (backoff, count, random) => {
        const delay = backoffSeconds(backoff, count, () => random);

        assert.ok(delay >= 0 && delay <= maxSeconds(backoff), `${delay} s`);
      }),
    );
  });

  it('never decreases from one failure to the next without jitter', () => {
    fc.assert(
      fc.property(anyExponential, failures, failures, (any, one, other) => {
        const backoff = { ...any, jitter: 'none' as const };
        const [earlier = 0, later = 0] = delays(backoff, Math.min(one, other), Math.max(one, other));

        assert.ok(earlier <= later);
      }),
    );
  });

  it('stays finite after very many failures', () => {
    assert.deepEqual(delays(anExponential({ factor: 1e300, baseSeconds: 0 }), 2, 10_000), [0, 0]);
  });
});
