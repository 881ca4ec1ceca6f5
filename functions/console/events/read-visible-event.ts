import { findRoute } from '../../../shared/delivery/routes.ts';
import { findUnmask } from '../../../shared/events/masking/unmasks.ts';
import { readEvent } from '../../../shared/events/read-event.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { type MaskedEvent, maskEvent } from './mask-event.ts';

/** How long an unmasked event stays visible to the operator who unmasked it. */
export const unmaskMinutes = 15;

/** Reads an event as this user may see it: masked by its route, unless they unmasked it. Throws NotFoundError. */
export async function readVisibleEvent(
  deps: ConsoleDeps,
  context: PageContext,
  id: string,
): Promise<MaskedEvent> {
  const event = await readEvent(deps.db, id);
  const mask = findRoute(deps.routes, event)?.mask ?? [];
  const isVisible = mask.length === 0 || (await isUnmasked(deps, context, event.id));
  return maskEvent(event, isVisible ? [] : mask);
}

/** The audit entry that unmasked the event, as the address or form names it. */
export function unmaskIdOf({ query, form }: PageContext): string | undefined {
  return /^\d{1,18}$/.exec(query.get('unmask') ?? form.get('unmask') ?? '')?.[0];
}

async function isUnmasked({ db }: ConsoleDeps, context: PageContext, eventId: string): Promise<boolean> {
  const auditId = unmaskIdOf(context);
  const { name: actor, isOperator } = context.caller;
  if (auditId === undefined || !isOperator) return false;
  return (await findUnmask(db, { auditId, eventId, actor, minutes: unmaskMinutes })).length > 0;
}
