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

/** Events of a lane, and of all lanes, that are counted at first; then those of the large lanes together. */
const maxSmall = 100;
const maxFirst = 20_000;
const maxLarge = 10_000;
const soonSeconds = 3600;

/** Counts the due events of lanes: of small ones all, and of large ones up to a number that they share. */
export async function countDue(db: Database, lanes: readonly Lane[]): Promise<DueCount[]> {
  if (lanes.length === 0) return [];
  const first = Math.max(1, Math.min(maxSmall, Math.floor(maxFirst / lanes.length)));
  const counts = await countEvents(db, { lanes, soonSeconds, max: first });
  const small = counts.filter(({ isExact }) => isExact);
  if (small.length === counts.length) return counts;
  const known = new Set(small.map(({ lane }) => lane));
  const counted = new Set(counts.map(({ lane }) => lane));
  const large = lanes.filter(({ lane }) => counted.has(lane) && !known.has(lane));
  const max = Math.floor(maxLarge / large.length);
  if (max <= first) return counts;
  return [...small, ...(await countEvents(db, { lanes: large, soonSeconds, max }))];
}
