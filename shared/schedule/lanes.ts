import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Cause } from '../delivery/cause.ts';
import type { Origin } from '../message/event.ts';

type Pair = { readonly lane: string; readonly priority: number };

type Kind = Origin & {
  readonly lane: string;
  readonly hasKey: boolean;
  /** Null if they were not tried. */
  readonly cause: Cause | null;
};

export type Lane = Kind & { readonly priorities: readonly number[]; readonly events?: number };

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
  { readonly lane: string; readonly events: number }
>('count-lanes');

/** The events of a lane are counted up to this number. */
export const maxCounted = 10_000;

/** Adds the open events of some lanes to them, counted up to `max` each. */
export async function countLanes<Of extends Lane>(
  db: Database,
  lanes: readonly Of[],
  max = maxCounted + 1,
): Promise<(Of & { readonly events: number })[]> {
  if (lanes.length === 0) return [];
  const counted = await countEach(db, { lanes: lanes.map(({ lane }) => lane), max });
  const events = new Map(counted.map((each) => [each.lane, each.events]));
  return lanes.map((lane) => ({ ...lane, events: events.get(lane.lane) ?? 0 }));
}
