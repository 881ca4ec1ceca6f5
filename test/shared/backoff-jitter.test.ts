import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffSeconds } from '../../shared/backoff.ts';
import type { Backoff } from '../../shared/policy.ts';
import { anExponential, anyBackoff, anyExponential, chance, failures } from '../support/backoffs.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** Many delays after the same failure, in order of size. */
function sample(backoff: Backoff, count: number): number[] {
  const random = seededRandom(4711);
  return Array.from({ length: 20_000 }, () => backoffSeconds(backoff, count, random)).sort((a, b) => a - b);
}

/** Fails unless the delays are spread evenly from `least` to `most`, to one part in fifty of that range. */
function assertUniform(sorted: readonly number[], least: number, most: number): void {
  assert.ok((sorted[0] ?? -1) >= least && (sorted.at(-1) ?? most) < most);
  for (const share of [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]) {
    const quantile = sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
    const expected = least + share * (most - least);
    assert.ok(Math.abs(quantile - expected) < (most - least) / 50, `${share}: ${quantile}, not ${expected}`);
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
    it('gives any delay from zero to the one without jitter the same chance when it is full', () => {
      assertUniform(sample({ ...backoff, jitter: 'full' }, count), 0, 80);
    });

    it('gives any delay from half of the one without jitter the same chance when it is equal', () => {
      assertUniform(sample({ ...backoff, jitter: 'equal' }, count), 40, 80);
    });
  });
}

describe('jitter', () => {
  it('never makes a delay longer than it is without, nor with equal jitter shorter than its half', () => {
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

  it('gives anything from the base to three times the base the same chance after the first failure', () => {
    assertUniform(sample(decorrelated, 1), 10, 30);
  });

  it('stays from the base to its 3^n-fold after n failures, and below the cap', () => {
    fc.assert(
      fc.property(anyExponential, failures, fc.nat(), (any, count, seed) => {
        const delay = backoffSeconds({ ...any, jitter: 'decorrelated' }, count, seededRandom(seed));
        const { baseSeconds: base, capSeconds: cap } = any;
        const most = Math.min(cap, base && base * 3 ** count);

        assert.ok(delay >= Math.min(base, cap) && delay <= most, `${delay} s`);
      }),
    );
  });

  it('grows on average as it does where each delay is drawn from the one before', () => {
    // The mean of anything from b to 3d is (b + 3d) / 2, so that from 10 on the means are these.
    for (const [count, expected] of [
      [1, 20],
      [2, 35],
      [3, 57.5],
      [4, 91.25],
    ] as const) {
      assert.ok(Math.abs(mean(sample(decorrelated, count)) / expected - 1) < 0.02, `after ${count}`);
    }
  });

  it('reaches the ends of its range, the cap among them', () => {
    const delays = [0, 1 - 2 ** -53].map((random) =>
      backoffSeconds({ ...decorrelated, capSeconds: 200 }, 3, () => random),
    );

    assert.deepEqual(delays, [10, 200]);
  });

  it('takes no notice of the factor', () => {
    assert.deepEqual(sample({ ...decorrelated, factor: 9 }, 3), sample(decorrelated, 3));
  });
});
