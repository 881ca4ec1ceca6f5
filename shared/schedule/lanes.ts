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
const maxLanes = 10_000;

/** Lists lanes with open events, up to 10,000, and counts the events of each up to `max`. */
export function listLanes(db: Database, { max }: { readonly max: number }): Promise<LaneCount[]> {
  return list(db, { max, maxLanes });
}

/** Counts the open events of some lanes. */
export const countOpenEvents = statement<{ lanes: readonly string[] }, { readonly events: number }>(
  'count-open-events',
  import.meta.url,
);
