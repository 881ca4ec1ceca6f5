import { restore } from '../../../shared/archive/restore.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { findUnmask, recordUnmask } from '../../../shared/events/masking/guard-probes.ts';
import { isNamed, maskBody, maskHeaders } from '../../../shared/events/masking/mask.ts';
import { findMask, type MaskRules } from '../../../shared/events/masking/mask-rules.ts';
import { type EventView, readEvent } from '../../../shared/events/read-event.ts';
import { postForm, reasonField } from '../components/form.ts';
import { readCommand, readReason } from '../components/read-form.ts';
import { type Html, html } from '../html.ts';
import { type ConsoleDeps, fieldsOf, type PageContext, type Redirect } from '../page.ts';

/** How long an unmasked event stays visible to the operator who unmasked it. */
const unmaskMinutes = 15;

/** An event as a page may show it. */
export type MaskedEvent = EventView & {
  readonly mask: readonly string[];
  /** Whether any of its fields is at one of these paths. */
  readonly isMasked: boolean;
  /** As it is stored, for comparisons: no page shows it. */
  readonly stored: EventView;
  /** The audit entry that unmasked it, as the address or form names it. */
  readonly unmaskId: string | undefined;
};

/** Reads an event as this user may see it: masked by its route, unless they unmasked it. Throws NotFoundError. */
export async function readVisibleEvent(deps: ConsoleDeps, context: PageContext, id: string) {
  const event = await readEvent(deps.db, id);
  const mask = findMask(deps, event);
  const { name: actor, isOperator } = context.caller;
  const unmaskId = readId(context.query.get('unmask') ?? fieldsOf(context).get('unmask'));
  if (mask.length === 0 || !isOperator || !unmaskId) return maskEvent(event, mask, unmaskId);
  const found = await findUnmask(deps.db, { eventId: event.id, actor, minutes: unmaskMinutes });
  return maskEvent(event, found.length > 0 ? [] : mask, unmaskId);
}

/** An event as it is shown to everybody: masked by its route. */
export function maskForAll(rules: MaskRules, event: EventView): MaskedEvent {
  return maskEvent(event, findMask(rules, event));
}

/** Reads an event as it is shown to everybody. Undefined without an id, or if it is no longer stored. */
export async function readMaskedEvent(deps: ConsoleDeps, id: string | null) {
  if (id === null) return undefined;
  try {
    return maskForAll(deps, await readEvent(deps.db, id));
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** On the page of an edit that was typed before. */
export const unmaskingEnded = ({ id }: EventView): Html =>
  html`<p class="warning">The unmasking has ended. The edit is kept here: <a href="events/${id}" target="_blank">unmask the event</a> again in another tab, then preview it.</p>`;

/** Masks the fields at the paths of a route. A payload that is not complete JSON is masked as a whole. */
function maskEvent(event: EventView, mask: readonly string[], unmaskId?: string): MaskedEvent {
  const isMasked = Object.keys(event.headers).some((name) => isNamed(mask, name));
  const headers = maskHeaders(event.headers, mask);
  const shown = { ...event, headers, mask, isMasked, stored: event, unmaskId };
  const isJson = event.payloadEncoding === 'json' && event.body.length >= event.bytes;
  const body = maskBody({ body: event.body, isJson }, mask);
  if (event.payloadEncoding === 'none' || body.equals(event.body)) return shown;
  return { ...shown, body, bytes: body.length, payloadEncoding: 'json', isMasked: true };
}

/** The text of a filter that selects an event: a closed one only by its status, too. */
export function selectEvent({ id, status }: Pick<EventView, 'id' | 'status'>): string {
  return status === 'SUCCEEDED' || status === 'DISCARDED' ? `id:${id} status:${status}` : `id:${id}`;
}

/** Says that an event is archived, or that fields of it are masked; operators restore or unmask it. */
export function accessForms({ isArchived, isMasked }: MaskedEvent, context: PageContext): Html {
  const restoring = html`<button name="command" value="restore">Restore</button>
    <span class="hint">Unchanged; then it can be replayed or reopened.</span>`;
  const says = 'Some fields of this event are masked. An operator can unmask them, with a reason.';
  const unmasking = html`<button name="command" value="unmask">Unmask for ${unmaskMinutes} minutes</button>`;
  return html`${isArchived && warnWith('This event is in the archive and read-only.', restoring, context)}
    ${isMasked && warnWith(says, unmasking, context)}`;
}

function warnWith(says: string, button: Html, context: PageContext): Html {
  const content = html`${reasonField(context)}${button}`;
  const form = { action: context.path.slice(1), content, className: 'actions' };
  return html`<div class="warning"><p>${says}</p>${context.caller.isOperator && postForm(context, form)}</div>`;
}

/** `POST /events/:id {command, reason}`: restores an event from the archive, or unmasks it. */
export function changeEventByForm(deps: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const command = readCommand(context.form, ['restore', 'unmask']);
  return command === 'restore' ? restoreEvent(deps, context) : unmaskEvent(deps, context);
}

async function restoreEvent({ db }: ConsoleDeps, context: PageContext): Promise<Redirect> {
  const { params, form, caller, now } = context;
  const body = { ids: [params.id], reason: form.get('reason') ?? '' };
  const { restored } = await restore(db, { body, actor: caller.name, now });
  const notice =
    restored.length > 0
      ? 'The event was restored from the archive.'
      : 'Nothing was changed: the event was restored or captured again before.';
  return { to: `events/${params.id}`, notice };
}

/** Records the operator and the reason, then shows the event unmasked. */
async function unmaskEvent(deps: ConsoleDeps, { params, form, caller }: PageContext) {
  const { id, isMasked } = maskForAll(deps, await readEvent(deps.db, params.id ?? ''));
  if (!isMasked) return { to: `events/${id}`, notice: 'No field of this event is masked.' };
  const { reason } = readReason(form);
  const [recorded] = await recordUnmask(deps.db, { actor: caller.name, reason, eventId: id });
  return { to: `events/${id}?unmask=${recorded?.id ?? ''}#payload` };
}
