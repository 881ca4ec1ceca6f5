import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { nameTarget } from '../delivery/targets/target-kinds.ts';
import type { Origin } from '../message/event.ts';
import type { RoutedLane } from './snapshot.ts';

/** The first event of a key, with the number of open events behind it, up to 10,001. */
export type Blocker = Origin & Readonly<{ id: string; key: string | null; events: number }>;

/** Events that nothing waits for have no row. */
export const countBehind = statement<{ ids: readonly string[] }, Blocker>('count-behind');

const listIds = statement<
  { lanes: readonly string[]; stopped: readonly string[]; max: number; limit: number },
  { readonly id: string }
>('list-blockers');

/** Open events, of a lane and in all, that are asked for the first one of their key: up to 50 us each. */
const maxOfLane = 50;
const maxAsked = 1000;

/**
 * Lists the events that others of their key wait for and that do not go with the next tick, to one target or
 * to any, the longest queue first.
 */
export async function listBlockers(
  db: Database,
  lanes: readonly RoutedLane[],
  { limit, target }: { readonly limit: number; readonly target?: string | undefined },
): Promise<readonly Blocker[]> {
  const isAsked = ({ route, hasKey }: RoutedLane) =>
    hasKey && route?.ordered === true && (target === undefined || nameTarget(route.target) === target);
  const namesOf = (some: readonly RoutedLane[]) => some.map(({ lane }) => lane);
  const asked = namesOf(lanes.filter(isAsked));
  if (asked.length === 0) return [];
  const max = Math.max(1, Math.min(maxOfLane, Math.floor(maxAsked / asked.length)));
  const ids = await listIds(db, {
    lanes: asked,
    stopped: namesOf(lanes.filter(({ isStopped }) => isStopped)),
    max,
    limit,
  });
  return ids.length === 0 ? [] : countBehind(db, { ids: ids.map(({ id }) => id) });
}
