/** A line that both have, or that only the one before (`-`) or after (`+`) has. */
export type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Beyond so many comparisons what lies between is shown as replaced. */
const mostCells = 4_000_000;

/** The lines that make `after` of `before`: the fewest, by the longest common subsequence of what lies between. */
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
  if (old.length * fresh.length > mostCells) return [...mark('-', old), ...mark('+', fresh)];
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

/** How many lines the ends from i and from j on have in common. */
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
