import { restore } from '../../../shared/archive/restore.ts';
import { reasonForm } from '../components/form.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import type { MaskedEvent } from './mask-event.ts';

/** `POST /events/:id/restore {reason}`: restores an event from the archive. */
export async function restoreByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller, now } = context;
  const body = { ids: [params.id], reason: form.get('reason') ?? '' };
  const { restored } = await restore(deps.db, { body, actor: caller.name, now });
  return {
    to: `events/${params.id ?? ''}`,
    notice:
      restored.length > 0
        ? 'The event was restored from the archive.'
        : 'The event was captured again in the meantime; the copy in the archive stays there.',
  };
}

/** A notice that an event is archived, with a form for operators to restore it. */
export function restoreForm({ id, isArchived }: MaskedEvent, context: PageContext): Html | false {
  if (!isArchived) return false;
  return html`<div class="warning"><p>This event is in the archive and read-only.</p>
    ${
      context.caller.isOperator &&
      reasonForm(context, {
        action: `events/${id}/restore`,
        question: 'Reason to restore',
        submit: 'Restore',
        hint: 'Unchanged; then it can be replayed or reopened.',
      })
    }</div>`;
}
