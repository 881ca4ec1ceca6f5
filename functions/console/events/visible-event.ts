import { ForbiddenError, NotFoundError } from '../../../shared/errors.ts';
import { readId } from '../../../shared/events/event-id.ts';
import { maskBody, maskHeaders } from '../../../shared/events/masking/mask.ts';
import { findMask } from '../../../shared/events/masking/mask-rules.ts';
import { findUnmask } from '../../../shared/events/masking/unmasks.ts';
import { type EventView, readEvent } from '../../../shared/events/read-event.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

/** How long an unmasked event stays visible to the operator who unmasked it. */
export const unmaskMinutes = 15;

/** Reads an event as this user may see it: masked by its route, unless they unmasked it. Throws NotFoundError. */
export async function readVisibleEvent(
  deps: ConsoleDeps,
  context: PageContext,
  id: string,
): Promise<MaskedEvent> {
  const event = await readEvent(deps.db, id);
  const mask = findMask(deps, event);
  const isVisible = mask.length === 0 || (await isUnmasked(deps, context, event.id));
  return maskEvent(event, isVisible ? [] : mask);
}

/** Reads an event as it is shown to everybody: masked by its route. Undefined if it is no longer stored. */
export async function readMaskedEvent(
  deps: Pick<ConsoleDeps, 'db' | 'routes' | 'masks'>,
  id: string,
): Promise<MaskedEvent | undefined> {
  try {
    const event = await readEvent(deps.db, id);
    return maskEvent(event, findMask(deps, event));
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Reads an event to edit it. Throws NotFoundError, and a ForbiddenError if fields are masked. */
export async function readUnmaskedEvent(
  deps: ConsoleDeps,
  context: PageContext,
  id: string,
): Promise<EventView> {
  const event = await readVisibleEvent(deps, context, id);
  if (event.isMasked) throw new ForbiddenError('This event has masked fields. Unmask it before you edit it.');
  return event;
}

/** The audit entry that unmasked the event, as the address or form names it. */
export function unmaskIdOf({ query, form }: PageContext): string | undefined {
  return readId(query.get('unmask') ?? form.get('unmask'));
}

async function isUnmasked({ db }: ConsoleDeps, context: PageContext, eventId: string): Promise<boolean> {
  const auditId = unmaskIdOf(context);
  const { name: actor, isOperator } = context.caller;
  if (auditId === undefined || !isOperator) return false;
  return (await findUnmask(db, { auditId, eventId, actor, minutes: unmaskMinutes })).length > 0;
}

/** An event as a page may show it, and whether fields of it are masked. */
export type MaskedEvent = EventView & { readonly isMasked: boolean };

/** Masks the fields at the paths of a route. A payload that is not complete JSON is masked as a whole. */
function maskEvent(event: EventView, paths: readonly string[]): MaskedEvent {
  const shown = { ...event, headers: maskHeaders(event.headers, paths), isMasked: paths.length > 0 };
  if (event.payloadEncoding === 'none' || !paths.some((path) => path.startsWith('$'))) return shown;
  const whole = event.body;
  const isJson = event.payloadEncoding === 'json' && whole.length >= event.bytes;
  const body = maskBody({ body: whole, isJson }, paths);
  return { ...shown, body, bytes: body.length, payloadEncoding: 'json' };
}
