import { countColumns } from '../counts/count-columns.ts';
import type { Database } from '../database/database.ts';
import { latestEvent } from '../fingerprint/latest-event.ts';
import { statuses } from '../message/event.ts';
import { resolveTime } from '../time-text.ts';
import type { Filter } from './filter/filter-schema.ts';
import { filteredStatement } from './filter/filtered-statement.ts';
import { includeMerged } from './filter/include-merged.ts';
import { toLikePattern } from './filter/list-kinds.ts';

/** The number of events, and of those that are being delivered now. */
export type EventCount = { readonly events: number; readonly leased: number };

/**
 * An error group of events, with the error of one of its events, the number of all groups and that of all
 * their events.
 */
type CountedError = {
  readonly value: string;
  readonly events: number;
  readonly errorClass: string | null;
  readonly errorReason: string;
  readonly groups: number;
  readonly allEvents: number;
};

type Counted = {
  readonly statuses: readonly string[];
  readonly types: readonly string[] | null;
  readonly fingerprints: readonly string[] | null;
  readonly since: string | null;
};

/** Leaves out the events that were captured at `since` or later. */
const sumEvents = filteredStatement<Counted, EventCount>(
  'count-from-depths',
  import.meta.url,
  () => countColumns,
);

const listErrors = filteredStatement<Counted & { max: number }, CountedError>(
  'list-counted-errors',
  import.meta.url,
  () => ({ ...countColumns, latestEvent }),
);

/** The events since an earlier time may be too many to leave out one by one. */
const recentMs = 60_000;

/**
 * The exact number of events that a filter matches, from the counts; undefined if the filter has a condition
 * on anything but type, status, error group, and capture before a moment ago, as previews have. Reads only
 * the events that were captured since then.
 */
export async function countFromDepths(db: Database, filter: Filter): Promise<EventCount | undefined> {
  const counted = await readCounted(db, filter);
  if (!counted) return undefined;
  const [sum] = await sumEvents(db, counted.whole, counted.params);
  return sum;
}

/**
 * The largest error groups of the events that a filter matches, without those that are being delivered;
 * undefined for a filter without an exact number of events in the counts.
 */
export async function listCountedErrors(
  db: Database,
  filter: Filter,
  max: number,
): Promise<CountedError[] | undefined> {
  const counted = await readCounted(db, filter);
  return counted && listErrors(db, counted.whole, { ...counted.params, max });
}

async function readCounted(db: Database, filter: Filter) {
  if (!isCounted(filter)) return undefined;
  const { capturedBefore, ...whole } = filter;
  const { eventType, status } = whole;
  const { fingerprint } = await includeMerged(db, filter);
  const params: Counted = {
    statuses: status ?? statuses,
    types: eventType?.map(toLikePattern) ?? null,
    fingerprints: fingerprint ?? null,
    since: capturedBefore ? resolveTime(capturedBefore, new Date()) : null,
  };
  return { whole, params };
}

/** Whether the counts have the exact number of events that a filter matches. */
export function isCounted({ capturedBefore, eventType: _, status: __, fingerprint: ___, ...others }: Filter) {
  const isRecent = (time: string) =>
    new Date(resolveTime(time, new Date())).getTime() >= Date.now() - recentMs;
  return Object.keys(others).length === 0 && (capturedBefore === undefined || isRecent(capturedBefore));
}
