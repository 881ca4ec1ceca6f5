import { ForbiddenError } from '../../../shared/errors.ts';
import { section } from '../components/section.ts';
import { readVisibleEvent } from '../events/read-visible-event.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import type { Edit } from '../runs/compose-request.ts';
import { diffLines } from './diff-lines.ts';
import { textOf, toLines } from './message-text.ts';
import { showDiff } from './show-diff.ts';

type EditOf = { readonly eventId: string; readonly edit: Edit };

/** The difference between an event and its edit, line by line. */
export async function editDiff(
  deps: ConsoleDeps,
  context: PageContext,
  { eventId, edit }: EditOf,
): Promise<Html> {
  const event = await readVisibleEvent(deps, context, eventId);
  if (event.isMasked) throw new ForbiddenError('This event has masked fields. Unmask it before you edit it.');
  const body = edit.body !== undefined && diffLines(toLines(textOf(event).text), toLines(toText(edit.body)));
  const headers =
    edit.headers !== undefined &&
    diffLines(toLines(JSON.stringify(event.headers)), toLines(JSON.stringify(edit.headers)));
  const diffs = html`${body && html`<h3>Payload</h3>${showDiff(body)}`}${headers && html`<h3>Headers</h3>${showDiff(headers)}`}`;
  return section('Difference', diffs);
}

function toText(body: NonNullable<Edit['body']>): string {
  return typeof body === 'string' ? body : body.base64;
}
