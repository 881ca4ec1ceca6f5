import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RoutedLane } from './snapshot.ts';

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

type Pair = Readonly<{ lane: string; eventType: string; priority: number; isOrdered: boolean }>;

const countPairs = statement<{ pairs: readonly Pair[]; soonSeconds: number; max: number }, DueCount>(
  'count-due',
  import.meta.url,
);

/** Events of a pair, and of all pairs, that are counted at first; then those of the large lanes together. */
const maxSmall = 100;
const maxFirst = 20_000;
const maxLarge = 10_000;
const soonSeconds = 3600;

/** An event of an ordered lane counts as eight: its key is looked at, too. */
const weigh = (pairs: readonly Pair[]) => pairs.reduce((sum, { isOrdered }) => sum + (isOrdered ? 8 : 1), 0);

/** Counts the due events of lanes: of small ones all, and of large ones up to a number that they share. */
export async function countDue(db: Database, lanes: readonly RoutedLane[]): Promise<DueCount[]> {
  const pairs = lanes.flatMap(({ lane, eventType, route, hasKey, priorities }) => {
    const isOrdered = route?.ordered === true && hasKey;
    return priorities.map((priority) => ({ lane, eventType, priority, isOrdered }));
  });
  if (pairs.length === 0) return [];
  const first = Math.max(1, Math.min(maxSmall, Math.floor(maxFirst / weigh(pairs))));
  const counts = await countPairs(db, { pairs, soonSeconds, max: first });
  const known = new Map(counts.map((count) => [count.lane, count]));
  const large = pairs.filter(({ lane }) => known.get(lane)?.isExact === false);
  const max = Math.floor(maxLarge / weigh(large));
  if (large.length === 0 || max <= first) return counts;
  const small = counts.filter(({ isExact }) => isExact);
  return [...small, ...(await countPairs(db, { pairs: large, soonSeconds, max }))];
}
