import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Cause } from '../delivery/cause.ts';
import type { Origin } from '../message/event.ts';

/** The open events of one lane, and the fields that choose their route. */
export type LaneCount = Origin & {
  readonly lane: string;
  readonly hasKey: boolean;
  /** What its events failed of at a target; null if they were not tried. */
  readonly cause: Cause | null;
  readonly events: number;
};

const list = statement<{ max: number; maxLanes: number }, LaneCount>('list-lanes', import.meta.url);

/** Pages and metrics read this many lanes: more of them have an id in the event type. */
export const maxLanes = 10_000;

/** Lists lanes with open events, up to one more than 10,000, and counts the events of each up to `max`. */
export function listLanes(db: Database, { max }: { readonly max: number }): Promise<LaneCount[]> {
  return list(db, { max, maxLanes: maxLanes + 1 });
}

/** Counts the open events of each of some lanes, up to `max`. */
export const countEach = statement<
  { lanes: readonly string[]; max: number },
  { readonly lane: string; readonly events: number }
>('count-lanes', import.meta.url);

/** The open events of a lane are counted up to this number. */
export const maxCounted = 10_000;

/** Counts the open events of each of some lanes, up to one more than 10,000. */
export async function countLanes<Lane extends LaneCount>(
  db: Database,
  lanes: readonly Lane[],
): Promise<Lane[]> {
  if (lanes.length === 0) return [];
  const counted = await countEach(db, { lanes: lanes.map(({ lane }) => lane), max: maxCounted + 1 });
  const events = new Map(counted.map((each) => [each.lane, each.events]));
  return lanes.map((lane) => ({ ...lane, events: events.get(lane.lane) ?? 0 }));
}
