import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { rulesOf } from './refusals.ts';
import type { RoutedLane } from './snapshot.ts';

/** The turn of some events of a lane if nothing holds their target; null: nothing within the hour. */
export type DueCount = {
  readonly lane: string;
  readonly turn: 'due' | 'soon' | 'behind' | 'refused' | null;
  readonly events: number;
  /** When the first of them is due. */
  readonly firstAt: Date;
  /** The events that they are behind. */
  readonly stops: readonly string[];
  /** Whether all events of the lane were counted. */
  readonly isExact: boolean;
};

type Pair = Pick<RoutedLane, 'lane' | 'eventType'> &
  Readonly<{ priority: number; isOrdered: boolean; rules: string | null; isStopped: boolean }>;

const countPairs = statement<{ pairs: readonly Pair[]; max: number }, DueCount>('count-due');

/** Events of a pair that are counted at first, and of all pairs; then so many of the large lanes together. */
const maxSmall = 100;
const maxAll = 10_000;

/** An event of a lane with an order or rules counts as eight: it is looked at, and so is its key. */
const weigh = (pairs: readonly Pair[]) =>
  pairs.reduce((sum, { isOrdered, rules }) => sum + (isOrdered || rules !== null ? 8 : 1), 0);

/** Of small lanes all, and of large ones up to a number that they share. */
export async function countDue(db: Database, lanes: readonly RoutedLane[]): Promise<DueCount[]> {
  const pairs = lanes.flatMap(({ lane, eventType, route, hasKey, priorities, isStopped = false }) => {
    const isOrdered = route?.ordered === true && hasKey;
    const rules = route ? rulesOf(route.policy) : null;
    return priorities.map((priority) => ({ lane, eventType, priority, isOrdered, rules, isStopped }));
  });
  const first = Math.max(1, Math.min(maxSmall, Math.floor(maxAll / weigh(pairs))));
  const counts = await countPairs(db, { pairs, max: first });
  const large = new Set(counts.filter(({ isExact }) => !isExact).map(({ lane }) => lane));
  const max = Math.floor(maxAll / weigh(pairs.filter(({ lane }) => large.has(lane))));
  return large.size === 0 || max <= first ? counts : countPairs(db, { pairs, max });
}
