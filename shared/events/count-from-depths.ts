import type { Database } from '../database/database.ts';
import { statuses } from '../message/event.ts';
import { resolveTime } from '../time-text.ts';
import type { Filter } from './filter/filter-schema.ts';
import { filteredStatement, includeMerged } from './filter/filtered-statement.ts';
import { toLikePattern } from './filter/list-kinds.ts';

/** The number of events, and of those that are being delivered now. */
type EventCount = { readonly events: number; readonly leased: number };

type Counted = {
  readonly statuses: readonly string[];
  readonly types: readonly string[];
  readonly fingerprints: readonly string[] | null;
  readonly since: string | null;
};

/** Leaves out the events that were captured at `since` or later. */
const sumEvents = filteredStatement<Counted, EventCount>('count-from-depths');

/** The events since an earlier time may be too many to leave out one by one. */
const recentMs = 60_000;

/**
 * The exact number of events that a filter matches, from the counts; undefined if the filter has a condition
 * on anything but type, status, error group, and capture before a moment ago, as previews have. Reads only
 * the events that were captured since then.
 */
export async function countFromDepths(db: Database, filter: Filter): Promise<EventCount | undefined> {
  if (!isCounted(filter)) return undefined;
  const { capturedBefore, ...whole } = filter;
  const { fingerprint } = await includeMerged(db, filter);
  const [sum] = await sumEvents(db, whole, {
    statuses: whole.status ?? statuses,
    types: whole.eventType?.map(toLikePattern) ?? ['%'],
    fingerprints: fingerprint ?? null,
    since: capturedBefore ? resolveTime(capturedBefore, new Date()) : null,
  });
  return sum;
}

/** Whether the counts have the exact number of events that a filter matches. */
export function isCounted({ capturedBefore, eventType: _, status: __, fingerprint: ___, ...others }: Filter) {
  const isRecent = (time: string) =>
    new Date(resolveTime(time, new Date())).getTime() >= Date.now() - recentMs;
  return Object.keys(others).length === 0 && (capturedBefore === undefined || isRecent(capturedBefore));
}
