import * as v from 'valibot';
import { InputError } from '../../../shared/errors.ts';
import { findRoute } from '../../../shared/routes.ts';
import { statement } from '../../../shared/sql.ts';
import { check } from '../../../shared/validate.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type Html, html } from '../html.ts';
import { postForm } from '../parts/post-form.ts';
import type { Done } from '../serve-page.ts';
import type { Visit } from '../visit.ts';
import { type MaskedEvent, maskEvent } from './mask-event.ts';
import { readEvent } from './read-event.ts';

/** For so long a reason opens an event to whoever gave it. */
const minutes = 15;

const recordReveal = statement<{ actor: string; reason: string; eventId: string }, { readonly id: string }>(
  'record-reveal',
);
const findReveal = statement<
  { auditId: string; eventId: string; actor: string; minutes: number },
  { readonly id: string }
>('find-reveal');

const RevealSchema = v.object({
  reason: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('Say why: the audit keeps it.'),
    v.maxLength(1000, 'Must have at most 1000 characters.'),
  ),
});

/** `POST /events/:id/reveal {reason}`: records who wants to see what is hidden, and shows it to them. */
export async function revealByForm({ db }: ConsoleDeps, { params, form, caller }: Visit): Promise<Done> {
  const checked = check(RevealSchema, Object.fromEntries(form));
  if (!checked.ok) throw new InputError(checked.problems);
  const { id } = await readEvent(db, params.id ?? '', 0);
  const [recorded] = await recordReveal(db, {
    actor: caller.name,
    reason: checked.value.reason,
    eventId: id,
  });
  return { to: `events/${id}?reveal=${recorded?.id ?? ''}#payload` };
}

/** An event as this person may see it: whole, if nothing of it is hidden or they gave a reason for seeing it. */
export async function readShownEvent(deps: ConsoleDeps, visit: Visit, id: string): Promise<MaskedEvent> {
  const event = await readEvent(deps.db, id);
  const mask = findRoute(deps.routes, event)?.mask ?? [];
  const isOpen = mask.length === 0 || (await isRevealed(deps, visit, event.id));
  return maskEvent(event, isOpen ? [] : mask);
}

/** The reason that an address or a form names, for links from there on. */
export function revealOf({ query, form }: Visit): string | undefined {
  return /^\d{1,18}$/.exec(query.get('reveal') ?? form.get('reveal') ?? '')?.[0];
}

/** Whether this person gave that reason for this event, and it still holds. */
async function isRevealed({ db }: ConsoleDeps, visit: Visit, eventId: string): Promise<boolean> {
  const auditId = revealOf(visit);
  if (auditId === undefined || !visit.caller.isOperator) return false;
  return (await findReveal(db, { auditId, eventId, actor: visit.caller.name, minutes })).length > 0;
}

/** Says that something is hidden, and asks an operator why they want to see it. */
export function revealForm({ id, isMasked }: MaskedEvent, visit: Visit): Html | false {
  if (!isMasked) return false;
  return html`<div class="warning"><p>Parts of this event are hidden, as its route says.</p>
    ${
      visit.caller.isOperator
        ? postForm(visit, {
            action: `events/${id}/reveal`,
            className: 'acts',
            content: html`<input type="text" name="reason" required maxlength="1000" placeholder="Why you need to see it" aria-label="Why you need to see it" autocomplete="off">
        <button>Reveal for ${minutes} minutes</button><span class="hint">The audit keeps your name and the reason.</span>`,
          })
        : html`<p>An operator can reveal them, with a reason.</p>`
    }</div>`;
}
