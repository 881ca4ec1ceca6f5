import { section } from '../components/section.ts';
import { indentJson } from '../events/payload-lines.ts';
import { readUnmaskedEvent } from '../events/visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import type { Edit } from '../runs/compose-request.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { findCounterpart, markChange } from './mark-change.ts';
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
