import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../events/event.ts';

type GroupOrigin = Origin & {
  readonly sourceSubscription: string | null;
  readonly fingerprints: readonly string[];
};

const listOrigins = statement<Record<string, never>, GroupOrigin>('list-group-origins', import.meta.url);

/**
 * Finds the groups whose latest event failed at a consumer, a consumer group or a subscription, and is routed to a target.
 * Returns their fingerprints, or null without a condition.
 */
export async function findGroupsByOrigin(
  { db, routes }: { readonly db: Database; readonly routes: readonly Route[] },
  { consumer, target }: { readonly consumer: string | null; readonly target: string | null },
): Promise<string[] | null> {
  if (consumer === null && target === null) return null;
  const origins = await listOrigins(db, {});
  const found = origins.filter((origin) => {
    if (consumer !== null && consumer !== origin.consumerGroup && consumer !== origin.sourceSubscription)
      return false;
    if (target === null) return true;
    const route = findRoute(routes, origin);
    return route !== undefined && nameTarget(route.target) === target;
  });
  return found.flatMap(({ fingerprints }) => fingerprints);
}
