import type { Database } from './database.ts';
import { countOpenEvents, listLanes } from './events.ts';
import type { RetryConfig } from './retry-config.ts';
import { findRoute, nameTarget, type Route } from './routes.ts';

/** Where events may be claimed from. `route` is the place of the route in the list. */
export type Lane = {
  readonly lane: string;
  readonly route: number;
  readonly is_ordered: boolean;
  readonly max_retries: number;
  readonly target: string;
};

/** Finds the route of every lane that has open events, and counts the events that have none. */
export async function routeLanes(
  db: Database,
  routes: readonly Route[],
  retry: RetryConfig,
): Promise<{ lanes: Lane[]; unrouted: number }> {
  const lanes: Lane[] = [];
  const waiting: string[] = [];
  for (const each of await listLanes(db, {})) {
    const route = findRoute(routes, each);
    if (route) {
      lanes.push({
        lane: each.lane,
        route: routes.indexOf(route),
        is_ordered: route.ordered && each.has_key,
        max_retries: route.policy.maxRetries ?? retry.maxRetries,
        target: nameTarget(route.target),
      });
    } else waiting.push(each.lane);
  }
  const [count] = waiting.length > 0 ? await countOpenEvents(db, { lanes: waiting }) : [];
  return { lanes, unrouted: count?.events ?? 0 };
}
