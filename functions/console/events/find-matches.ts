import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { freezeFilter } from '../../../shared/events/filter/freeze-filter.ts';
import { runWithinCost } from '../../../shared/events/filter/run-within-cost.ts';
import {
  countEvents,
  type ListedEvent,
  listArchivedEvents,
  listEvents,
} from '../../../shared/events/list-events.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { readPosition } from './search.ts';
import type { Place } from './search-places.ts';

export const pageSize = 50;
const maxCounted = 10_000;

/** The number of matching events; a lower bound unless `isAll`. */
export type Matches = { readonly events: number; readonly isAll: boolean };

/** A page of events with the place they were found in; `rows` has one more if there is a next page. */
export type Found = { readonly rows: readonly ListedEvent[]; readonly place: Place };

/** Looks in one place after the other until one has events. */
export async function findFirst(
  { db, costLimit }: ConsoleDeps,
  { query, now }: PageContext,
  { places, isArchive }: { readonly places: readonly [Place, ...Place[]]; readonly isArchive: boolean },
): Promise<Found> {
  const params = { ...readPosition(query), max: pageSize + 1 };
  const list = isArchive ? listArchivedEvents : listEvents;
  for (const place of places) {
    const filter = freezeFilter(place.filter, now);
    const rows = await runWithinCost(db, list, { filter, params, costLimit });
    if (rows.length > 0) return { rows, place };
  }
  return { rows: [], place: places[0] };
}

/** Counts the events that a place has, up to 10,000. A first page that is not full has them all. */
export async function countMatches(
  { db, costLimit }: ConsoleDeps,
  { query, now }: PageContext,
  { rows, place }: Found,
): Promise<Matches> {
  if (rows.length <= pageSize && !query.has('before')) return { events: rows.length, isAll: true };
  const filter: Filter = freezeFilter(place.filter, now);
  const params = { max: maxCounted + 1 };
  const [{ events } = { events: 0 }] = await runWithinCost(db, countEvents, { filter, params, costLimit });
  return { events: Math.min(events, maxCounted), isAll: events <= maxCounted };
}
