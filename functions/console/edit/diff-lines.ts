import * as util from 'node:util';

/** A line of both texts (` `), of the text before only (`-`), or of the text after only (`+`). */
export type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Beyond this number of comparisons all lines between the common start and end are shown as replaced. */
const maxComparisons = 4_000_000;

/** The smallest difference of two texts between their common start and end. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++;
  return [
    ...mark(' ', before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...mark(' ', before.slice(before.length - end)),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const comparisons = old.length * fresh.length;
  // `diff` throws for an empty side, and Node.js 20 has none.
  if (!util.diff || comparisons === 0 || comparisons > maxComparisons)
    return [...mark('-', old), ...mark('+', fresh)];
  return util
    .diff(old, fresh)
    .map(([side, text]) => ({ sign: side === 0 ? ' ' : side > 0 ? '-' : '+', text }));
}

function mark(sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}
