import * as util from 'node:util';
import { section } from '../components/section.ts';
import { indentJson } from '../events/payload-lines.ts';
import { readUnmaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import type { Edit } from '../runs/replay-form.ts';
import { textOf } from './message-text.ts';

/** Unchanged lines shown around a change. */
const contextLines = 3;

/** A line of both texts (` `), of the text before only (`-`), or of the text after only (`+`). */
type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Beyond this number of comparisons all lines between the common start and end are shown as replaced. */
const maxComparisons = 4_000_000;

const words = { ' ': '', '-': 'removed', '+': 'added' } as const;

/** The difference between an event and its edit. Throws a ForbiddenError if the event has masked fields. */
export async function editDiff(
  deps: ConsoleDeps,
  context: PageContext,
  { eventId, edit }: { readonly eventId: string; readonly edit: Edit },
): Promise<Html> {
  const event = await readUnmaskedEvent(deps, context, eventId);
  const [body, { headers }] = [textOf(event).text, event];
  const after = {
    body: edit.body === undefined ? body : bodyText(edit.body),
    headers: edit.headers ?? headers,
  };
  return section('Difference', diffMessages({ body, headers }, after));
}

type Message = { readonly body: string; readonly headers: unknown };

/** The lines that differ of payload and headers, below a heading each; nothing if both are equal. */
export function diffMessages(old: Message, fresh: Message): Html {
  const [before, after] = [JSON.stringify(old.headers), JSON.stringify(fresh.headers)];
  return html`${old.body !== fresh.body && html`<h3>Payload</h3>${showDiff(old.body, fresh.body)}`}
    ${before !== after && html`<h3>Headers</h3>${showDiff(before, after)}`}`;
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
    if (isNear(index)) return [showLine(line)];
    // One ellipsis per omitted range.
    return index === 0 || isNear(index - 1) ? [html`<span class="frame dim">…</span>`] : [];
  });
  return html`<pre class="code diff">${shown}</pre>`;
}

function showLine({ sign, text }: DiffLine): Html {
  const word = words[sign];
  return html`<span class="frame ${word}">${word && html`<span class="visually-hidden">${word}: </span>`}<span aria-hidden="true">${sign}</span> ${text}</span>`;
}

/** The lines of a text; JSON is indented first. */
function toLines(text: string): string[] {
  return (/^\s*[{[]/.test(text) ? indentJson(text) : text).split(/\r?\n/);
}

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
  // `diff` throws for an empty side. Node.js 20, on which `npx dead-letter-office` runs, has none.
  if (comparisons === 0 || comparisons > maxComparisons || !util.diff)
    return [...mark('-', old), ...mark('+', fresh)];
  return util
    .diff(old, fresh)
    .map(([side, text]) => ({ sign: side === 0 ? ' ' : side > 0 ? '-' : '+', text }));
}

function mark(sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}
