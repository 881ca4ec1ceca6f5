/** A line of both texts (` `), of the text before only (`-`), or of the text after only (`+`). */
export type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Beyond this number of comparisons all lines between the common start and end are shown as replaced. */
const maxCells = 4_000_000;

/** The smallest difference of two texts, by the longest common subsequence between their common start and end. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }));
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  return [
    ...same(before.slice(0, start)),
    ...diffMiddle(old, fresh),
    ...same(before.slice(before.length - end)),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > maxCells) return [...mark('-', old), ...mark('+', fresh)];
  const lengths = measureCommon(old, fresh);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push({ sign: ' ', text: old[i++] ?? '' });
      j++;
    } else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
      lines.push({ sign: '-', text: old[i++] ?? '' });
    else lines.push({ sign: '+', text: fresh[j++] ?? '' });
  }
  return [...lines, ...mark('-', old.slice(i)), ...mark('+', fresh.slice(j))];
}

/** At [i][j], the number of lines that old from i on and fresh from j on have in common. */
function measureCommon(old: readonly string[], fresh: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    const [row, below] = [lengths[i], lengths[i + 1]];
    for (let j = fresh.length - 1; row && below && j >= 0; j--) {
      row[j] = old[i] === fresh[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

function mark(sign: '-' | '+', lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}
