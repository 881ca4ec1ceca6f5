import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffSeconds } from '../../../../shared/delivery/policy/next-state.ts';
import type { Backoff } from '../../../../shared/delivery/policy/policy.ts';
import { anExponential, anyBackoff, chance, failures } from '../../../support/backoffs.ts';
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
