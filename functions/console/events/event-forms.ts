import { restore } from '../../../shared/archive/restore.ts';
import { validate } from '../../../shared/config/validate.ts';
import { reasonEntry } from '../../../shared/events/actions/operator-text.ts';
import { recordUnmask } from '../../../shared/events/masking/unmasks.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { postForm } from '../components/form.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import { type MaskedEvent, unmaskMinutes } from './visible-event.ts';

/** A notice that an event is archived, with a form for operators to restore it. */
export function restoreForm({ id, isArchived }: MaskedEvent, context: PageContext): Html | false {
  if (!isArchived) return false;
  const form = reasonForm(context, {
    action: `events/${id}/restore`,
    question: 'Reason to restore',
    submit: 'Restore',
    hint: 'Unchanged; then it can be replayed or reopened.',
  });
  return html`<div class="warning"><p>This event is in the archive and read-only.</p>${context.caller.isOperator && form}</div>`;
}

/** A notice that fields of an event are masked, with a form for operators to unmask them. */
export function unmaskForm({ id, isMasked }: MaskedEvent, context: PageContext): Html | false {
  if (!isMasked) return false;
  const form = reasonForm(context, {
    action: `events/${id}/unmask`,
    question: 'Reason to unmask',
    submit: `Unmask for ${unmaskMinutes} minutes`,
    hint: 'The audit log records your name and the reason.',
  });
  const advice = html`<p>An operator can unmask them, with a reason.</p>`;
  return html`<div class="warning"><p>Some fields of this event are masked.</p>${context.caller.isOperator ? form : advice}</div>`;
}

type ReasonForm = Readonly<Record<'action' | 'question' | 'submit' | 'hint', string>>;

function reasonForm(context: PageContext, { action, question, submit, hint }: ReasonForm): Html {
  return postForm(context, {
    action,
    className: 'actions',
    content: html`<input type="text" name="reason" required maxlength="1000" placeholder="${question}" aria-label="${question}" autocomplete="off">
      <button>${submit}</button><span class="hint">${hint}</span>`,
  });
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
  const { id } = await readEvent(db, params.id ?? '', 0);
  const [recorded] = await recordUnmask(db, { actor: caller.name, reason, eventId: id });
  return { to: `events/${id}?unmask=${recorded?.id ?? ''}#payload` };
}
