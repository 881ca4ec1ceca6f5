import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Events of a lane whose time has come, and that become due within the hour. */
export type DueCount = {
  readonly lane: string;
  /** A claim that starts now may take them, if nothing holds their target. */
  readonly due: number;
  readonly dueSince: Date | null;
  /** An earlier event of their key is not due. */
  readonly behindKey: number;
  readonly soon: number;
  /** When the first of these becomes due. */
  readonly earliest: Date | null;
  /** False if there are more events than these numbers say. */
  readonly isExact: boolean;
};

type Lane = { readonly lane: string; readonly isOrdered: boolean };

const countEvents = statement<{ lanes: readonly Lane[]; soonSeconds: number; max: number }, DueCount>(
  'count-due',
  import.meta.url,
);

/** Events that are counted at a time: each takes about a microsecond. */
const maxCounted = 10_000;
const minCounted = 100;
const soonSeconds = 3600;

/** Counts the due events of lanes: of small ones all, and of large ones up to a number that they share. */
export async function countDue(
  db: Database,
  lanes: readonly Lane[],
  maxEvents = maxCounted,
): Promise<DueCount[]> {
  if (lanes.length === 0) return [];
  const counts = await countEvents(db, { lanes, soonSeconds, max: minCounted });
  const small = counts.filter(({ isExact }) => isExact);
  if (small.length === counts.length) return counts;
  const known = new Set(small.map(({ lane }) => lane));
  const counted = new Set(counts.map(({ lane }) => lane));
  const large = lanes.filter(({ lane }) => counted.has(lane) && !known.has(lane));
  const max = Math.max(minCounted, Math.floor(maxEvents / large.length));
  return [...small, ...(await countEvents(db, { lanes: large, soonSeconds, max }))];
}
