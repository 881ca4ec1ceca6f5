import { ForbiddenError } from '../../../shared/errors.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { readShownEvent } from '../events/reveal.ts';
import { type Html, html } from '../html.ts';
import type { Edit } from '../runs/compose-request.ts';
import type { Visit } from '../visit.ts';
import { diffLines } from './diff-lines.ts';
import { textOf, toLines } from './message-text.ts';
import { showDiff } from './show-diff.ts';

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
