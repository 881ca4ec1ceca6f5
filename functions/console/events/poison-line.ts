import type { Database } from '../../../shared/database/database.ts';
import { readBreakers } from '../../../shared/delivery/breakers.ts';
import { readStates } from '../../../shared/delivery/read-states.ts';
import type { Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { AttemptSummary } from '../../../shared/events/list-events.ts';
import { type Html, html } from '../html.ts';

/** Deliveries without an answer that are no chance any more. */
const minCrashes = 3;
/** The share of the latest deliveries of others that its target took. */
const minTaken = 0.9;

/** Names a poison pill: an event that its target never answered, while it takes the others. */
export async function poisonLine(
  db: Database,
  route: Route | undefined,
  attempts: readonly AttemptSummary[],
): Promise<Html | false> {
  const crashes = attempts.filter(({ outcome }) => outcome === 'ambiguous' || outcome === 'lost').length;
  if (!route || crashes < minCrashes || attempts.some(({ outcome }) => outcome === 'delivered')) return false;
  const [state] = await readStates(db, [nameTarget(route.target)], await readBreakers(db));
  const { delivered = 0, deliveries = 0 } = state?.latest ?? {};
  const others = deliveries - crashes;
  if (others < minCrashes || delivered < minTaken * others) return false;
  return html`<p class="warning" role="status"><b>A poison pill.</b> Its target gave no answer to ${crashes} deliveries of
    this event, and took ${delivered} of the latest ${others} of others. Edit it, or discard it.</p>`;
}
