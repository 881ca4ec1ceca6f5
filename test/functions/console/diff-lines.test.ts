import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { diffLines } from '../../../functions/console/edit/edits.ts';

describe('line difference', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 });
  const side = (diff: ReturnType<typeof diffLines>, sign: '-' | '+') =>
    diff.filter((line) => line.sign === sign || line.sign === ' ').map(({ text }) => text);

  it('a difference contains both texts, line by line', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after);
        assert.deepEqual([side(diff, '-'), side(diff, '+')], [before, after]);
      }),
    );
  });

  it('a difference keeps every line of the longest common subsequence', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const kept = diffLines(before, after).filter(({ sign }) => sign === ' ').length;
        assert.equal(kept, commonLength(before, after));
      }),
    );
  });

  it('a difference of two texts of 20,000 lines replaces all lines', () => {
    const long = (prefix: string) => Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}`);

    assert.equal(diffLines(long('a'), long('b')).length, 40_000);
  });
});

function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0);
  for (const line of a) {
    const next: number[] = [];
    for (const [j, other] of b.entries()) {
      const best = Math.max(row[j] ?? 0, next[j - 1] ?? 0);
      next.push(line === other ? Math.max(best, (row[j - 1] ?? 0) + 1) : best);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
