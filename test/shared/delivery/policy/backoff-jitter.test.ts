import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffSeconds } from '../../../../shared/delivery/policy/backoff.ts';
import type { Backoff } from '../../../../shared/delivery/policy/policy.ts';
import { anExponential, anyBackoff, anyExponential, chance, failures } from '../../../support/backoffs.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

/** Returns many delays after the same failure, sorted by size. */
function sample(backoff: Backoff, count: number): number[] {
  const random = seededRandom(4711);
  return Array.from({ length: 20_000 }, () => backoffSeconds(backoff, count, random)).sort((a, b) => a - b);
}

/** Fails unless the delays are spread evenly from `min` to `max`, within 2 % of that range. */
function assertUniform(sorted: readonly number[], min: number, max: number): void {
  assert.ok((sorted[0] ?? -1) >= min && (sorted.at(-1) ?? max) < max);
  for (const share of [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]) {
    const quantile = sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
    const expected = min + share * (max - min);
    assert.ok(Math.abs(quantile - expected) < (max - min) / 50, `${share}: ${quantile}, not ${expected}`);
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const ten = anExponential({ baseSeconds: 10, capSeconds: 1e6 });

for (const [name, backoff, count] of [
  ['an exponential backoff', ten, 4],
  ['a fixed one', { kind: 'fixed', delaySeconds: 80, jitter: 'none' }, 4],
  ['a schedule', { kind: 'schedule', delaysSeconds: [10, 80], jitter: 'none' }, 7],
] as const) {
  describe(`the jitter of ${name}`, () => {
    it('is uniform from zero to the delay without jitter if it is full', () => {
      assertUniform(sample({ ...backoff, jitter: 'full' }, count), 0, 80);
    });

    it('is uniform from half of the delay without jitter if it is equal', () => {
      assertUniform(sample({ ...backoff, jitter: 'equal' }, count), 40, 80);
    });
  });
}

describe('jitter', () => {
  it('never lengthens a delay, and equal jitter never shortens it to less than half', () => {
    fc.assert(
      fc.property(anyBackoff, failures, chance, (any, count, random) => {
        const [none = 0, full = 0, equal = 0] = (['none', 'full', 'equal'] as const).map((jitter) =>
          backoffSeconds({ ...any, jitter }, count, () => random),
        );

        assert.ok(full <= none && none / 2 <= equal && equal <= none, `${full}, ${equal}, ${none}`);
      }),
    );
  });
});

describe('decorrelated jitter', () => {
  const decorrelated = { ...ten, jitter: 'decorrelated' as const };

  it('is uniform from the base to three times the base after the first failure', () => {
    assertUniform(sample(decorrelated, 1), 10, 30);
  });

  it('stays between the base and 3^n times the base after n failures, and below the cap', () => {
    fc.assert(
      fc.property(anyExponential, failures, fc.nat(), (any, count, seed) => {
        const delay = backoffSeconds({ ...any, jitter: 'decorrelated' }, count, seededRandom(seed));
        const { baseSeconds: base, capSeconds: cap } = any;
        const max = Math.min(cap, base && base * 3 ** count);

        assert.ok(delay >= Math.min(base, cap) && delay <= max, `${delay} s`);
      }),
    );
  });

  it('grows on average as if each delay were drawn from the stored previous one', () => {
    // The mean of a uniform delay from b to 3d is (b + 3d) / 2: starting with 10 this gives these means.
    for (const [count, expected] of [
      [1, 20],
      [2, 35],
      [3, 57.5],
      [4, 91.25],
    ] as const) {
      assert.ok(Math.abs(mean(sample(decorrelated, count)) / expected - 1) < 0.02, `after ${count}`);
    }
  });

  it('reaches both ends of its range, including the cap', () => {
    const delays = [0, 1 - 2 ** -53].map((random) =>
      backoffSeconds({ ...decorrelated, capSeconds: 200 }, 3, () => random),
    );

    assert.deepEqual(delays, [10, 200]);
  });

  it('ignores the factor', () => {
    assert.deepEqual(sample({ ...decorrelated, factor: 9 }, 3), sample(decorrelated, 3));
  });
});
