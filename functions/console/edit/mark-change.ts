import { type Content, html } from '../html.ts';
import type { DiffLine } from './diff-lines.ts';

/**
 * The line that replaces a removed line, or that an added line replaces: the one at the same position of the
 * same change.
 */
export function findCounterpart(lines: readonly DiffLine[], index: number): string | undefined {
  const sign = lines[index]?.sign;
  if (sign === undefined || sign === ' ') return undefined;
  const isOwn = (at: number) => lines[at]?.sign === sign;
  let start = index;
  while (isOwn(start - 1)) start--;
  let end = index;
  while (isOwn(end)) end++;
  const position = index - start;
  // Removed lines come before the added ones that replace them.
  if (sign === '-') return takeOther(lines, end + position, end);
  let before = start;
  while (lines[before - 1]?.sign === '-') before--;
  return takeOther(lines, before + position, before, start);
}

/** The text at an index if all lines from `from` to it are of one sign, and not unchanged. */
function takeOther(
  lines: readonly DiffLine[],
  index: number,
  from: number,
  until = lines.length,
): string | undefined {
  const sign = lines[from]?.sign;
  if (sign === undefined || sign === ' ' || index >= until) return undefined;
  return lines.slice(from, index + 1).every((line) => line.sign === sign) ? lines[index]?.text : undefined;
}

/**
 * A line with the words marked that its counterpart does not have: all between their common start and end.
 */
export function markChange(text: string, counterpart: string): Content {
  const [own, other] = [splitWords(text), splitWords(counterpart)];
  const max = Math.min(own.length, other.length);
  let start = 0;
  while (start < max && own[start] === other[start]) start++;
  let end = 0;
  while (end < max - start && own.at(-1 - end) === other.at(-1 - end)) end++;
  const changed = own.slice(start, own.length - end).join('');
  const isAll = own.slice(0, start).join('').trim() === '' && end === 0;
  if (changed === '' || isAll) return text;
  return html`${own.slice(0, start).join('')}<mark>${changed}</mark>${own.slice(own.length - end).join('')}`;
}

function splitWords(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+(?:[.,:-][\p{L}\p{N}_]+)*|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
