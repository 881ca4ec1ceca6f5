import { section } from '../components/section.ts';
import { indentJson } from '../events/payload-lines.ts';
import { readUnmaskedEvent } from '../events/visible-event.ts';
import { type Content, type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import type { Edit } from '../runs/compose-request.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { textOf } from './message-text.ts';

/** Unchanged lines shown around a change. */
const contextLines = 3;

const classes = { ' ': 'same', '-': 'removed', '+': 'added' } as const;
const words = { ' ': '', '-': 'removed: ', '+': 'added: ' } as const;

/** The difference between an event and its edit. Throws a ForbiddenError if the event has masked fields. */
export async function editDiff(
  deps: ConsoleDeps,
  context: PageContext,
  { eventId, edit }: { readonly eventId: string; readonly edit: Edit },
): Promise<Html> {
  const event = await readUnmaskedEvent(deps, context, eventId);
  const body = edit.body !== undefined && showDiff(textOf(event).text, bodyText(edit.body));
  const headers =
    edit.headers !== undefined && showDiff(JSON.stringify(event.headers), JSON.stringify(edit.headers));
  const diffs = html`${body && html`<h3>Payload</h3>${body}`}${headers && html`<h3>Headers</h3>${headers}`}`;
  return section('Difference', diffs);
}

/** A body as a request has it, as text. */
export function bodyText(body: NonNullable<Edit['body']>): string {
  return typeof body === 'string' ? body : body.base64;
}

/** The lines that differ, with their context. */
export function showDiff(before: string, after: string): Html {
  const lines = diffLines(toLines(before), toLines(after));
  if (lines.every(({ sign }) => sign === ' ')) return html`<p class="hint">Only whitespace differs.</p>`;
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== ' ');
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [showLine(line, findCounterpart(lines, index))];
    // One ellipsis per omitted range.
    return index === 0 || isNear(index - 1) ? [html`<span class="frame dim">…</span>`] : [];
  });
  return html`<pre class="code diff">${shown}</pre>`;
}

function showLine({ sign, text }: DiffLine, counterpart: string | undefined): Html {
  const content = counterpart === undefined ? text : markChange(text, counterpart);
  return html`<span class="frame ${classes[sign]}">${sign !== ' ' && html`<span class="visually-hidden">${words[sign]}</span>`}<span aria-hidden="true">${sign}</span> ${content}</span>`;
}

/** The lines of a text; JSON is indented first. */
function toLines(text: string): string[] {
  return (/^\s*[{[]/.test(text) ? indentJson(text) : text).split(/\r?\n/);
}

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
