import { countFromDepths } from '../../../shared/events/count-from-depths.ts';
import { freezeFilter } from '../../../shared/events/filter/filter-condition.ts';
import { hasCost } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import { firstPosition, type Position } from '../../../shared/events/filter/page-position.ts';
import { runWithinCost } from '../../../shared/events/filter/run-within-cost.ts';
import {
  countEvents,
  countRunEvents,
  findArchivedReach,
  findReach,
  type ListedEvent,
  listArchivedEvents,
  listEvents,
  type Reach,
} from '../../../shared/events/list-events.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';
import { readPosition } from './search.ts';
import type { Place } from './search-places.ts';

export const pageSize = 50;
const maxCounted = 10_000;

/**
 * No index finds a text or JSON: places share up to 6,000 events that are read at once for them, and up to
 * 2,000 for words in payloads.
 */
const maxRead = { words: 6_000, payloads: 2_000 };

/** The number of matching events; a lower bound unless `isAll`. */
export type Matches = { readonly events: number; readonly isAll: boolean };

/**
 * A page of events with the place they were found in. `rows` has one more if there is a next page. `reach`:
 * the event up to which the place was read, if more events of it were not.
 */
export type Found = { readonly rows: readonly ListedEvent[]; readonly place: Place; readonly reach?: Reach };

type Look = {
  readonly places: readonly [Place, ...Place[]];
  readonly isArchive: boolean;
  /** Places without events are read on for this time together. */
  readonly maxMs?: number;
};

/**
 * Looks in one place after the other until one has events. Returns what was found, or each place without
 * events.
 */
export async function findFirst(deps: ConsoleDeps, context: PageContext, look: Look): Promise<Found[]> {
  const { places, isArchive, maxMs = 50 } = look;
  const empty: Found[] = [];
  const scanned = Math.max(1, places.filter(({ filter }) => countReadable(filter) > 0).length);
  for (const place of places) {
    const max = Math.floor(countReadable(place.filter) / scanned);
    const found = await findIn(deps, context, { place, isArchive, max, maxMs: maxMs / scanned });
    if (found.rows.length > 0) return [found];
    empty.push(found);
  }
  return empty;
}

type LookIn = { readonly place: Place; readonly isArchive: boolean; readonly max: number };

/** Reads a place until it has events, or its time does not suffice for another part. */
async function findIn(
  deps: ConsoleDeps,
  { query, now }: PageContext,
  look: LookIn & { readonly maxMs: number },
): Promise<Found> {
  const began = performance.now();
  let found = await readPart(deps, now, { ...look, position: readPosition(query) });
  for (let parts = 1; found.rows.length === 0 && found.reach; parts++) {
    const elapsed = performance.now() - began;
    if (elapsed + elapsed / parts > look.maxMs) break;
    const position = { ...firstPosition, before: found.reach.id, time: found.reach.time };
    found = await readPart(deps, now, { ...look, position });
  }
  return found;
}

async function readPart(
  { db, costLimit }: ConsoleDeps,
  now: Date,
  { place, isArchive, max, position }: LookIn & { readonly position: Position },
): Promise<Found> {
  const filter = freezeFilter(place.filter, now);
  const [list, find] = isArchive ? [listArchivedEvents, findArchivedReach] : [listEvents, findReach];
  const search = { filter: withoutWords(filter), params: { ...position, max }, costLimit };
  const [reach] = max > 0 ? await runWithinCost(db, find, search) : [];
  const params = { ...(reach ? endAt(position, reach) : position), max: pageSize + 1 };
  // The planner's estimate does not know that words end the list at its reach.
  const rows = await runWithinCost(db, list, { filter, params, costLimit: max > 0 ? 0 : costLimit });
  return { rows, place, ...(rows.length <= pageSize && reach && { reach }) };
}

/** The number of events that a page reads for the words or the JSON of a filter; 0 without them. */
function countReadable(filter: Filter): number {
  if (hasCost(filter, 'payload')) return maxRead.payloads;
  return hasCost(filter, 'scan') ? maxRead.words : 0;
}

function withoutWords(filter: Filter): Filter {
  return Object.fromEntries(
    Object.entries(filter).filter(([name]) => !hasCost({ [name]: true }, 'scan', 'payload')),
  );
}

function endAt({ before, time }: Position, reach: Reach): Position {
  return { ...firstPosition, before, time, until: reach.id, untilTime: reach.time };
}

/**
 * Counts the events that a place has: exactly by type, status and error group, otherwise up to 10,000. Words
 * are counted on this page alone.
 */
export async function countMatches(
  { db, costLimit }: ConsoleDeps,
  { query, now }: PageContext,
  { rows, place, reach }: Found,
): Promise<Matches> {
  if (rows.length <= pageSize && !query.has('before')) return { events: rows.length, isAll: !reach };
  const filter: Filter = freezeFilter(place.filter, now);
  if (countReadable(filter) > 0) return { events: Math.min(rows.length, pageSize), isAll: false };
  const exact = await countFromDepths(db, filter);
  if (exact) return { events: exact.events, isAll: true };
  const params = { max: maxCounted + 1 };
  const { run = '', ...others } = filter;
  const isWholeRun = /^\d+$/.test(run) && Object.keys(others).length === 0;
  const [{ events } = { events: 0 }] = isWholeRun
    ? await countRunEvents(db, { run, ...params })
    : await runWithinCost(db, countEvents, { filter, params, costLimit });
  return { events: Math.min(events, maxCounted), isAll: events <= maxCounted };
}
