import type { Database } from '../database/database.ts';
import { toLikePattern } from '../events/filter/filter-condition.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { resolveTime } from '../events/filter/filter-time.ts';
import { statuses } from '../events/filter/filter-values.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { includeMerged } from '../groups/include-merged.ts';

/** The number of events, and of those that are being delivered now. */
export type EventCount = { readonly events: number; readonly leased: number };

/** Leaves out the events that were captured at `since` or later. */
const sumEvents = filteredStatement<
  {
    statuses: readonly string[];
    types: readonly string[] | null;
    fingerprints: readonly string[] | null;
    since: string | null;
  },
  EventCount
>('count-from-depths', import.meta.url);

/** The events since an earlier time may be too many to leave out one by one. */
const recentMs = 60_000;

/**
 * The exact number of events that a filter matches, from the counts; undefined if the filter has a condition on anything but type,
 * status, error group, and capture before a moment ago, as previews have. Reads only the events that were captured since then.
 */
export async function countFromDepths(db: Database, filter: Filter): Promise<EventCount | undefined> {
  const { capturedBefore, ...whole } = filter;
  const { eventType, status, fingerprint: _, ...others } = whole;
  if (Object.keys(others).length > 0) return undefined;
  const since = capturedBefore && resolveTime(capturedBefore, new Date());
  if (since && new Date(since).getTime() < Date.now() - recentMs) return undefined;
  const { fingerprint } = await includeMerged(db, filter);
  const [sum] = await sumEvents(db, whole, {
    statuses: status ?? statuses,
    types: eventType?.map(toLikePattern) ?? null,
    fingerprints: fingerprint ?? null,
    since: since ?? null,
  });
  return sum;
}
