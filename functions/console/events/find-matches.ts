import { TooCostlyError } from '../../../shared/errors.ts';
import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import { freezeFilter } from '../../../shared/events/filter/filter-condition.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { runWithinCost } from '../../../shared/events/filter/run-within-cost.ts';
import {
  countEvents,
  countRunEvents,
  type ListedEvent,
  listEvents,
} from '../../../shared/events/list-events.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { pageSize } from './read-events.ts';
import { readPosition } from './search.ts';
import type { Place } from './search-places.ts';

const maxCounted = 10_000;

/** The number of matching events; a lower bound unless `isAll`. */
export type Matches = { readonly events: number; readonly isAll: boolean };

/** A page of events with the place they were found in. `rows` has one more if there is a next page. */
export type Found = { readonly rows: readonly ListedEvent[]; readonly place: Place };

/** A page of a place that an index answers; undefined if it would read too many events. */
export async function findPage(
  { db, costLimit }: ConsoleDeps,
  { query, now }: PageContext,
  { place, isArchive: isArchived }: { readonly place: Place; readonly isArchive: boolean },
): Promise<Found | undefined> {
  const params = { ...readPosition(query), isArchived, max: pageSize + 1 };
  const filter = freezeFilter(place.filter, now);
  try {
    return { rows: await runWithinCost(db, listEvents, { filter, params, costLimit }), place };
  } catch (error) {
    if (error instanceof TooCostlyError) return undefined;
    throw error;
  }
}

/** Counts the events that a place has: exactly by type, status and error group, otherwise up to 10,000. */
export async function countMatches(
  deps: ConsoleDeps,
  { query, now }: PageContext,
  { rows, place }: Found,
): Promise<Matches> {
  if (rows.length <= pageSize && !query.has('before')) return { events: rows.length, isAll: true };
  const filter: Filter = freezeFilter(place.filter, now);
  const exact = await countFromDepths(deps.db, filter);
  if (exact) return { events: exact.events, isAll: true };
  try {
    const events = await countSome(deps, filter);
    return { events: Math.min(events, maxCounted), isAll: events <= maxCounted };
  } catch (error) {
    if (error instanceof TooCostlyError) return { events: Math.min(rows.length, pageSize), isAll: false };
    throw error;
  }
}

/** The number of events, at most one more than are counted. */
async function countSome({ db, costLimit }: ConsoleDeps, filter: Filter): Promise<number> {
  const params = { max: maxCounted + 1 };
  const { run = '', ...others } = filter;
  const isWholeRun = /^\d+$/.test(run) && Object.keys(others).length === 0;
  const [counted] = isWholeRun
    ? await countRunEvents(db, { run, ...params })
    : await runWithinCost(db, countEvents, { filter, params, costLimit });
  return counted?.events ?? 0;
}
