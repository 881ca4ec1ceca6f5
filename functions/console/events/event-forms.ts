import { restore } from '../../../shared/archive/restore.ts';
import { validate } from '../../../shared/config/validate.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import { recordUnmask } from '../../../shared/events/masking/unmasks.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { postForm, reasonInput } from '../components/form.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import { type MaskedEvent, unmaskMinutes } from './visible-event.ts';

/** Says that an event is archived; operators restore it. */
export function restoreForm({ id, isArchived }: MaskedEvent, context: PageContext): Html | false {
  return (
    isArchived &&
    reasonForm(context, {
      says: 'This event is in the archive and read-only.',
      action: `events/${id}/restore`,
      submit: 'Restore',
      hint: 'Unchanged; then it can be replayed or reopened.',
    })
  );
}

/** Says that fields of an event are masked; operators unmask them. */
export function unmaskForm({ id, isMasked }: MaskedEvent, context: PageContext): Html | false {
  return (
    isMasked &&
    reasonForm(context, {
      says: 'Some fields of this event are masked. An operator can unmask them, with a reason.',
      action: `events/${id}/unmask`,
      submit: `Unmask for ${unmaskMinutes} minutes`,
      hint: 'The audit log records your name and the reason.',
    })
  );
}

type ReasonForm = Readonly<Record<'says' | 'action' | 'submit' | 'hint', string>>;

function reasonForm(context: PageContext, { says, action, submit, hint }: ReasonForm): Html {
  const content = html`${reasonInput(`Reason to ${submit.split(' ')[0]?.toLowerCase()}`)}<button>${submit}</button><span class="hint">${hint}</span>`;
  const form = context.caller.isOperator && postForm(context, { action, className: 'actions', content });
  return html`<div class="warning"><p>${says}</p>${form}</div>`;
}

/** `POST /events/:id/restore {reason}`: restores an event from the archive. */
export async function restoreByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller, now } = context;
  const body = { ids: [params.id], reason: form.get('reason') ?? '' };
  const { restored } = await restore(db, { body, actor: caller.name, now });
  const notice =
    restored.length > 0
      ? 'The event was restored from the archive.'
      : 'The event was captured again in the meantime; the copy in the archive stays there.';
  return { to: `events/${params.id}`, notice };
}

/** `POST /events/:id/unmask {reason}`: records the operator and the reason, then shows the event unmasked. */
export async function unmaskByForm({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller } = context;
  const reason = validate(reasonEntry, form.get('reason') ?? '', 'reason');
  const { id } = await readEvent(db, params.id ?? '', { max: 0 });
  const [recorded] = await recordUnmask(db, { actor: caller.name, reason, eventId: id });
  return { to: `events/${id}?unmask=${recorded?.id ?? ''}#payload` };
}
