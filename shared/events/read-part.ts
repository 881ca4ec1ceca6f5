import type { Database } from '../database/database.ts';
import { freezeFilter } from './filter/filter-condition.ts';
import { hasCost } from './filter/filter-fields.ts';
import type { Filter } from './filter/filter-schema.ts';
import { firstPosition, type Position } from './filter/page-position.ts';
import { findSearchEnd, type ListedEvent, listEvents, type SearchEnd } from './list-events.ts';

/** A list and the position that a part of it begins behind. */
export type Walk = { readonly filter: Filter; readonly isArchived: boolean; readonly position: Position };

/** The matches in one part of the events, and the last of these events; undefined if there are no more. */
export type Part = { readonly rows: readonly ListedEvent[]; readonly end: SearchEnd | undefined };

/**
 * Compares the next `size` events with a filter, those alone that its indexed conditions match, and returns
 * up to `max` matches. A list of all events at once would make the planner read the whole table for a page.
 */
export async function readPart(
  db: Database,
  { filter, isArchived, position }: Walk,
  { size, max }: { readonly size: number; readonly max: number | null },
): Promise<Part> {
  const frozen = freezeFilter(filter, new Date());
  const [end] = await findSearchEnd(db, indexedConditions(frozen), { ...position, isArchived, max: size });
  const { before, time } = position;
  const part = end ? { ...firstPosition, before, time, until: end.id, untilTime: end.time } : position;
  return { end, rows: await listEvents(db, frozen, { ...part, isArchived, max }) };
}

/** The position behind an event. */
export function behind({ id, time }: Pick<SearchEnd, 'id' | 'time'>): Position {
  return { ...firstPosition, before: id, time };
}

/** The conditions that an index answers. */
export function indexedConditions(filter: Filter): Filter {
  return Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => hasCost({ [name]: value }, 'index')),
  );
}
