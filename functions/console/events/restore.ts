import { restore } from '../../replay/acts/restore.ts';
import { callOperation } from '../acts/call-operation.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import { postForm } from '../parts/post-form.ts';
import type { Done } from '../serve-page.ts';
import type { Visit } from '../visit.ts';
import type { MaskedEvent } from './mask-event.ts';

/** `POST /events/:id/restore {reason}`: brings an event back from the archive. */
export async function restoreByForm(deps: ConsoleDeps, visit: Visit): Promise<Done> {
  const { params, form } = visit;
  const body = { ids: [params.id], reason: form.get('reason') ?? '' };
  const { restored } = await callOperation<{ restored: readonly string[] }>(restore(deps), visit, body);
  const isBack = restored.length > 0;
  return {
    to: `events/${params.id ?? ''}`,
    notice: isBack
      ? 'The event is back from the archive.'
      : 'It was captured anew meanwhile, and stays in the archive.',
  };
}

/** Asks an operator why an archived event is wanted back. */
export function restoreForm({ id, is_archived: isArchived }: MaskedEvent, visit: Visit): Html | false {
  if (!isArchived) return false;
  return html`<div class="warning"><p>This event is in the archive: it can be looked at, and nothing else.</p>
    ${
      visit.caller.isOperator &&
      postForm(visit, {
        action: `events/${id}/restore`,
        className: 'acts',
        content: html`<input type="text" name="reason" required maxlength="1000" placeholder="Why it is wanted back" aria-label="Why it is wanted back" autocomplete="off">
        <button>Bring it back</button><span class="hint">As it was; then it can be replayed or reopened.</span>`,
      })
    }</div>`;
}
