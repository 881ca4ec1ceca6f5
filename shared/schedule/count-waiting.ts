import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { type LaneCount, listLanes } from './lanes.ts';

/** Open events; `isExact` is false for a number that is larger than `events`. */
export type Waiting = { readonly events: number; readonly isExact: boolean };

/** A lane with open events, which are counted for lanes without a route, and for types that targets share. */
export type WaitingLane = LaneCount & { readonly route: Route | undefined };

const listOpenTypes = statement<
  { types: readonly string[] },
  { readonly eventType: string; readonly open: number }
>('list-open-types', import.meta.url);

/** Counts the open events of some lanes, each up to `max`. */
export const countLanes = statement<
  { lanes: readonly string[]; max: number },
  { readonly lane: string; readonly events: number }
>('count-lanes', import.meta.url);

/** Lanes of a type that several targets share are counted up to this number of events. */
export const maxCounted = 10_000;

/** Lists the lanes with open events, and counts these events, by target; `undefined`: without a route. */
export async function countWaiting(
  db: Database,
  routes: readonly Route[],
): Promise<ReadonlyMap<string | undefined, Waiting & { readonly lanes: readonly WaitingLane[] }>> {
  const listed = await listLanes(db, { max: 0 });
  const types = await listOpenTypes(db, { types: [...new Set(listed.map(({ eventType }) => eventType))] });
  const routed = listed.map((lane) => ({ ...lane, route: findRoute(routes, lane) }));
  const targetOf = ({ route }: WaitingLane) => route && nameTarget(route.target);
  // The counts know types, not lanes: they have the events of a type that goes to one target.
  const open = new Map(types.map(({ eventType, open }) => [eventType, open]));
  for (const [type, own] of Map.groupBy(routed, ({ eventType }) => eventType)) {
    if (new Set(own.map(targetOf)).size > 1) open.delete(type);
  }
  const named = routed
    .filter(({ route, eventType }) => !route || !open.has(eventType))
    .map(({ lane }) => lane);
  const counted = named.length === 0 ? [] : await countLanes(db, { lanes: named, max: maxCounted + 1 });
  const counts = new Map(counted.map(({ lane, events }) => [lane, events]));
  const lanes = routed.map((lane) => ({ ...lane, events: counts.get(lane.lane) ?? 0 }));
  return new Map(
    [...Map.groupBy(lanes, targetOf)].map(([target, own]) => {
      const shared = own.filter(({ eventType }) => !open.has(eventType));
      const whole = new Set(own.map(({ eventType }) => eventType));
      const events =
        [...whole].reduce((sum, type) => sum + (open.get(type) ?? 0), 0) +
        shared.reduce((sum, lane) => sum + Math.min(lane.events, maxCounted), 0);
      const isExact = shared.every((lane) => lane.events <= maxCounted);
      return [target, { events, isExact, lanes: own }];
    }),
  );
}
