import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import { type LaneCount, listLanes } from '../schedule/lanes.ts';

/** Open events; `isExact` is false for a number that is larger than `events`. */
export type Waiting = { readonly events: number; readonly isExact: boolean };

const listOpenTypes = statement<Record<string, never>, { readonly eventType: string; readonly open: number }>(
  'list-open-types',
  import.meta.url,
);

/** Lanes of a type that several targets share are counted up to this number of events. */
const maxCounted = 10_000;

/** A lane with open events, the target of its route, and how many events it has. */
export type WaitingLane = LaneCount & { readonly route: Route | undefined };

/** Lists every lane with open events, and the open events of each target; those of `undefined` match no route. */
export async function countWaiting(
  db: Database,
  routes: readonly Route[],
): Promise<{ lanes: readonly WaitingLane[]; waiting: ReadonlyMap<string | undefined, Waiting> }> {
  const [listed, types] = await Promise.all([listLanes(db, { max: maxCounted + 1 }), listOpenTypes(db, {})]);
  const open = new Map(types.map(({ eventType, open }) => [eventType, open]));
  const lanes = listed.map((lane) => ({ ...lane, route: findRoute(routes, lane) }));
  const targetOf = ({ route }: WaitingLane) => route && nameTarget(route.target);
  const waiting = new Map<string | undefined, Waiting>();
  for (const [eventType, ofType] of Map.groupBy(lanes, (lane) => lane.eventType)) {
    const targets = new Set(ofType.map(targetOf));
    for (const target of targets) {
      const counted = ofType.filter((lane) => targetOf(lane) === target);
      // The sums know types, not lanes.
      const events = targets.size === 1 ? open.get(eventType) : undefined;
      const { events: before, isExact } = waiting.get(target) ?? { events: 0, isExact: true };
      const sum = events === undefined ? sumUp(counted) : { events, isExact: true };
      waiting.set(target, { events: before + sum.events, isExact: isExact && sum.isExact });
    }
  }
  return { lanes, waiting };
}

function sumUp(lanes: readonly LaneCount[]): Waiting {
  const events = lanes.reduce((sum, lane) => sum + Math.min(lane.events, maxCounted), 0);
  return { events, isExact: lanes.every((lane) => lane.events <= maxCounted) };
}
