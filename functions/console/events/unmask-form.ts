import * as v from 'valibot';
import { check } from '../../../shared/config/validate.ts';
import { InputError } from '../../../shared/errors.ts';
import { recordUnmask } from '../../../shared/events/masking/unmasks.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import { reasonForm } from '../components/form.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, PageContext, Redirect } from '../page.ts';
import type { MaskedEvent } from './mask-event.ts';
import { unmaskMinutes } from './read-visible-event.ts';

const UnmaskSchema = v.object({
  reason: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('Enter a reason: it is recorded in the audit log.'),
    v.maxLength(1000, 'Must have at most 1000 characters.'),
  ),
});

/** `POST /events/:id/unmask {reason}`: records the operator and the reason, then shows the event unmasked. */
export async function unmaskByForm(
  { db }: ConsoleDeps,
  { params, form, caller }: PageContext,
): Promise<Redirect> {
  const checked = check(UnmaskSchema, Object.fromEntries(form));
  if (!checked.ok) throw new InputError(checked.problems);
  const { id } = await readEvent(db, params.id ?? '', 0);
  const { reason } = checked.value;
  const [recorded] = await recordUnmask(db, { actor: caller.name, reason, eventId: id });
  return { to: `events/${id}?unmask=${recorded?.id ?? ''}#payload` };
}

/** A notice that fields of an event are masked, with a form for operators to unmask them. */
export function unmaskForm({ id, isMasked }: MaskedEvent, context: PageContext): Html | false {
  if (!isMasked) return false;
  return html`<div class="warning"><p>The route of this event masks some of its fields.</p>
    ${
      context.caller.isOperator
        ? reasonForm(context, {
            action: `events/${id}/unmask`,
            question: 'Reason to unmask',
            submit: `Unmask for ${unmaskMinutes} minutes`,
            hint: 'The audit log records your name and the reason.',
          })
        : html`<p>An operator can unmask them, with a reason.</p>`
    }</div>`;
}
