import { statement } from '../database/statement.ts';
import type { DeliveryDeps } from '../delivery/delivery-deps.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../events/event.ts';
import { type RefusalRules, rulesOf } from './refusals.ts';

/** A group of events that every route treats alike, with the route that matches them. */
export type Lane = {
  readonly lane: string;
  readonly route: Route;
  /** Whether its events are delivered one at a time per key. */
  readonly isOrdered: boolean;
  readonly maxRetries: number;
  readonly target: string;
  readonly rules: RefusalRules | undefined;
};

/** The open events of one lane, and the fields that choose their route. */
export type LaneCount = Origin & {
  readonly lane: string;
  readonly hasKey: boolean;
  readonly events: number;
};

/** Lists every lane with open events, and counts those of each up to `max`. */
export const listLanes = statement<{ max: number }, LaneCount>('list-lanes', import.meta.url);

/** Counts the open events of some lanes. */
export const countOpenEvents = statement<{ lanes: readonly string[] }, { readonly events: number }>(
  'count-open-events',
  import.meta.url,
);

/** Finds the route of every lane with open events, and counts the open events that no route matches. */
export async function routeLanes({
  db,
  routes,
  retry,
}: DeliveryDeps): Promise<{ lanes: Lane[]; unrouted: number }> {
  const lanes: Lane[] = [];
  const unrouted: string[] = [];
  for (const { lane, hasKey, ...origin } of await listLanes(db, { max: 0 })) {
    const route = findRoute(routes, origin);
    if (!route) unrouted.push(lane);
    else {
      lanes.push({
        lane,
        route,
        isOrdered: route.ordered && hasKey,
        maxRetries: route.policy.maxRetries ?? retry.maxRetries,
        target: nameTarget(route.target),
        rules: rulesOf(route.policy),
      });
    }
  }
  const [count] = unrouted.length > 0 ? await countOpenEvents(db, { lanes: unrouted }) : [];
  return { lanes, unrouted: count?.events ?? 0 };
}
