import { sumEvents } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Cause, failureAt } from '../delivery/cause.ts';
import { findRoute, type Route } from '../delivery/routes.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../message/event.ts';

type Pair = { readonly lane: string; readonly priority: number };

type Kind = Origin & {
  readonly lane: string;
  readonly hasKey: boolean;
  /** Null if they were not tried. */
  readonly cause: Cause | null;
};

export type Lane = Kind & { readonly priorities: readonly number[] };

/** Adds its route to a lane. What failed at another target than that of the route was not tried there. */
export function routeLane<Of extends Origin & Pick<Kind, 'cause'>>(routes: readonly Route[], lane: Of) {
  const route = findRoute(routes, lane);
  if (!route) return { ...lane, route, target: undefined, cause: null };
  const target = nameTarget(route.target);
  return { ...lane, route, target, cause: failureAt(target, lane.cause) };
}

/** The open events of a lane, up to a number. `isExact`: there are no more. */
export type LaneCount = { readonly events: number; readonly isExact: boolean };

/** The first pairs of lane and priority, up to a number of lanes. */
export const walkLanes = statement<
  Pair & { max: number; dueAt: string | null },
  Kind & Pair & { readonly isDue: boolean; readonly nth: number }
>('walk-lanes');

export const beforeAll: Pair = { lane: '-9223372036854775808', priority: -32_768 };

/** Pages and metrics read this many lanes: more of them have an id in the event type. */
export const maxLanes = 10_000;

/** Lists lanes with open events, up to one more than 10,000. */
export async function listLanes(db: Database): Promise<Lane[]> {
  const pairs = await walkLanes(db, { ...beforeAll, max: maxLanes + 1, dueAt: null });
  return [...Map.groupBy(pairs, ({ lane }) => lane).values()].flatMap((own) => {
    const priorities = own.map(({ priority }) => priority);
    return own.slice(0, 1).map((first) => ({ ...first, priorities }));
  });
}

export const countEach = statement<
  { lanes: readonly string[]; max: number },
  LaneCount & { readonly lane: string }
>('count-lanes');

/** The events of a lane are counted up to this number. */
const maxCounted = 10_000;

export function sumCounts(counts: readonly LaneCount[]): LaneCount {
  return { events: sumEvents(counts), isExact: counts.every(({ isExact }) => isExact) };
}

/** Adds the open events of some lanes to them. */
export async function countLanes<Of extends Pick<Lane, 'lane'>>(db: Database, lanes: readonly Of[]) {
  if (lanes.length === 0) return [];
  const counted = await countEach(db, { lanes: lanes.map(({ lane }) => lane), max: maxCounted });
  const counts = new Map(counted.map((each) => [each.lane, each]));
  return lanes.flatMap((lane) => {
    const count = counts.get(lane.lane);
    return count ? [{ ...lane, ...count }] : [];
  });
}
