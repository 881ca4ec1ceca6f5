import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { type LaneCount, listLanes } from './lanes.ts';

/** Open events; `isExact` is false for a number that is larger than `events`. */
export type Waiting = { readonly events: number; readonly isExact: boolean };

const listOpenTypes = statement<Record<string, never>, { readonly eventType: string; readonly open: number }>(
  'list-open-types',
  import.meta.url,
);

const countLanes = statement<
  { lanes: readonly string[]; max: number },
  { readonly lane: string; readonly events: number }
>('count-lanes', import.meta.url);

/** Lanes of a type that several targets share are counted up to this number of events. */
const maxCounted = 10_000;

/** A lane with open events and its route. `events` is counted for lanes without a route, and for types that targets share. */
export type WaitingLane = LaneCount & { readonly route: Route | undefined };

/** Lists every lane with open events, and the open events of each target; those of `undefined` match no route. */
export async function countWaiting(
  db: Database,
  routes: readonly Route[],
): Promise<{ lanes: readonly WaitingLane[]; waiting: ReadonlyMap<string | undefined, Waiting> }> {
  const [listed, types] = await Promise.all([listLanes(db, { max: 0 }), listOpenTypes(db, {})]);
  const open = new Map(types.map(({ eventType, open }) => [eventType, open]));
  const routed = listed.map((lane) => ({ ...lane, route: findRoute(routes, lane) }));
  const targetOf = ({ route }: WaitingLane) => route && nameTarget(route.target);
  const byType = [...Map.groupBy(routed, (lane) => lane.eventType)].map(([eventType, ofType]) => {
    const targets = new Set(ofType.map(targetOf));
    // The sums know types, not lanes.
    return { ofType, targets, events: targets.size === 1 ? open.get(eventType) : undefined };
  });
  const shared = byType.flatMap(({ ofType, events }) =>
    ofType.filter(({ route }) => events === undefined || !route).map(({ lane }) => lane),
  );
  const counted = shared.length === 0 ? [] : await countLanes(db, { lanes: shared, max: maxCounted + 1 });
  const counts = new Map(counted.map(({ lane, events }) => [lane, events]));
  const lanes = routed.map((lane) => ({ ...lane, events: counts.get(lane.lane) ?? 0 }));
  const waiting = new Map<string | undefined, Waiting>();
  for (const { ofType, targets, events } of byType) {
    for (const target of targets) {
      const own = new Set(ofType.filter((lane) => targetOf(lane) === target).map(({ lane }) => lane));
      const { events: before, isExact } = waiting.get(target) ?? { events: 0, isExact: true };
      const sum =
        events === undefined ? sumUp(lanes.filter(({ lane }) => own.has(lane))) : { events, isExact: true };
      waiting.set(target, { events: before + sum.events, isExact: isExact && sum.isExact });
    }
  }
  return { lanes, waiting };
}

function sumUp(lanes: readonly LaneCount[]): Waiting {
  const events = lanes.reduce((sum, lane) => sum + Math.min(lane.events, maxCounted), 0);
  return { events, isExact: lanes.every((lane) => lane.events <= maxCounted) };
}
