import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The events of a lane that are due now, and those that become due within the hour. */
export type DueCount = {
  readonly lane: string;
  readonly due: number;
  readonly soon: number;
  readonly earliest: Date | null;
  readonly isExact: boolean;
};

type Blocked = { readonly lane: string; readonly blocked: number; readonly isExact: boolean };

const countDueEvents = statement<{ lanes: readonly string[]; soonSeconds: number; max: number }, DueCount>(
  'count-due',
  import.meta.url,
);
const countBlockedEvents = statement<{ lanes: readonly string[]; max: number }, Blocked>(
  'count-blocked',
  import.meta.url,
);

/** Due events that are counted at a time, and the same number that are due soon: each takes about a microsecond. */
const maxCounted = 10_000;
const minCounted = 100;
const soonSeconds = 3600;

/** Counts the due events of lanes: of small ones all, and of large ones up to a number that they share. */
export async function countDue(
  db: Database,
  lanes: readonly string[],
  maxEvents = maxCounted,
): Promise<DueCount[]> {
  if (lanes.length === 0) return [];
  const counts = await countDueEvents(db, { lanes, soonSeconds, max: minCounted });
  const large = counts.filter(({ isExact }) => !isExact).map(({ lane }) => lane);
  if (large.length === 0) return counts;
  const again = await countDueEvents(db, { lanes: large, soonSeconds, max: shareOf(large, maxEvents) });
  return [...counts.filter(({ isExact }) => isExact), ...again];
}

/** Counts the due events of ordered lanes that an earlier event of their key holds back. */
export async function countBlocked(db: Database, lanes: readonly string[]): Promise<Blocked[]> {
  return lanes.length === 0 ? [] : countBlockedEvents(db, { lanes, max: shareOf(lanes, maxCounted) });
}

function shareOf(lanes: readonly string[], maxEvents: number): number {
  return Math.max(minCounted, Math.floor(maxEvents / lanes.length));
}
