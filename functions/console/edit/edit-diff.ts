import { ForbiddenError } from '../../../shared/errors.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { readShownEvent } from '../events/reveal.ts';
import { type Html, html } from '../html.ts';
import type { Edit } from '../runs/compose-request.ts';
import type { Visit } from '../visit.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { textOf, toLines } from './message-text.ts';

/** Lines around a change that are shown as well. */
const context = 3;

type EditOf = { readonly eventId: string; readonly edit: Edit };

/** What an edit changes of its event, line by line. */
export async function editDiff(deps: ConsoleDeps, visit: Visit, { eventId, edit }: EditOf): Promise<Html> {
  const event = await readShownEvent(deps, visit, eventId);
  if (event.isMasked)
    throw new ForbiddenError('Parts of this event are hidden. Reveal them first, with a reason.');
  const body = edit.body !== undefined && diffLines(toLines(textOf(event).text), toLines(toText(edit.body)));
  const headers =
    edit.headers !== undefined &&
    diffLines(toLines(JSON.stringify(event.headers)), toLines(JSON.stringify(edit.headers)));
  return html`<section aria-labelledby="difference"><h2 id="difference">The difference</h2>
    ${body && html`<h3>Payload</h3>${showDiff(body)}`}${headers && html`<h3>Headers</h3>${showDiff(headers)}`}</section>`;
}

function toText(body: NonNullable<Edit['body']>): string {
  return typeof body === 'string' ? body : body.base64;
}

const classes = { ' ': 'same', '-': 'removed', '+': 'added' } as const;
const words = { ' ': '', '-': 'removed: ', '+': 'added: ' } as const;

function showDiff(lines: readonly DiffLine[]): Html {
  if (lines.every(({ sign }) => sign === ' ')) return html`<p class="hint">Only the layout differs.</p>`;
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== ' ');
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [showLine(line)];
    return isNear(index + 1) || index === 0 ? [html`<span class="frame dim">…</span>`] : [];
  });
  return html`<pre class="code diff">${shown}</pre>`;
}

function showLine({ sign, text }: DiffLine): Html {
  return html`<span class="frame ${classes[sign]}">${sign !== ' ' && html`<span class="unseen">${words[sign]}</span>`}<span aria-hidden="true">${sign}</span> ${text}</span>`;
}
