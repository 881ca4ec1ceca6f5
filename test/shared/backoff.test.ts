import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffSeconds } from '../../shared/backoff.ts';
import type { Backoff } from '../../shared/routes.ts';

const year = 31_536_000;
const seconds = fc.double({ min: 0, max: year, noNaN: true });
const settings = {
  kind: fc.constant('exponential' as const),
  baseSeconds: seconds,
  factor: fc.double({ min: 1, max: Number.MAX_VALUE, noNaN: true }),
  capSeconds: seconds,
};
const anyBackoff = fc.record({ ...settings, jitter: fc.constantFrom('none', 'full') });
const steadyBackoff = fc.record({ ...settings, jitter: fc.constant('none' as const) });
const failures = fc.integer({ min: 1, max: 10_000 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const never = () => assert.fail('Without jitter nothing is left to chance.');

describe('the backoff', () => {
  const articles: Backoff = {
    kind: 'exponential',
    baseSeconds: 60,
    factor: 2,
    capSeconds: 21_600,
    jitter: 'none',
  };

  it('is one minute after the first failure and doubles with each further one, up to the cap', () => {
    const delays = [1, 2, 3, 4, 9, 10, 240].map((count) => backoffSeconds(articles, count, never));

    assert.deepEqual(delays, [60, 120, 240, 480, 15_360, 21_600, 21_600]);
  });

  it('is a number from zero to the cap, whatever is configured', () => {
    fc.assert(
      fc.property(anyBackoff, failures, chance, (backoff, count, random) => {
        const delay = backoffSeconds(backoff, count, () => random);

        assert.ok(delay >= 0 && delay <= backoff.capSeconds, `${delay} s`);
      }),
    );
  });

  it('never shrinks from one failure to the next without jitter', () => {
    fc.assert(
      fc.property(steadyBackoff, failures, failures, (backoff, one, other) => {
        const earlier = backoffSeconds(backoff, Math.min(one, other), never);

        assert.ok(earlier <= backoffSeconds(backoff, Math.max(one, other), never));
      }),
    );
  });

  it('is anything from zero to the delay without jitter when jitter is full', () => {
    fc.assert(
      fc.property(steadyBackoff, failures, chance, (backoff, count, random) => {
        const delay = backoffSeconds(backoff, count, never);

        assert.equal(
          backoffSeconds({ ...backoff, jitter: 'full' }, count, () => random),
          delay * random,
        );
      }),
    );
  });
});
