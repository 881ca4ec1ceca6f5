import type { Database } from '../database/database.ts';
import { fieldsIn } from './filter/filter-fields.ts';
import type { Filter } from './filter/filter-schema.ts';
import { firstPosition, type Position } from './filter/page-position.ts';
import { findSearchEnd, listEvents, type SearchEnd } from './list-events.ts';

/** A list, by a filter whose times are absolute, and the position that a part of it begins behind. */
export type Walk = { readonly filter: Filter; readonly isArchived: boolean; readonly position: Position };

/**
 * Compares the next `size` events with a filter, those alone that its narrow conditions match. Returns
 * up to `max` matches, and the last of these events; undefined if there are no more. A list of all events at
 * once would make the planner read the whole table for a page.
 */
export async function readPart(
  db: Database,
  { filter, isArchived, position }: Walk,
  { size, max }: { readonly size: number; readonly max: number },
) {
  const [end] = await findSearchEnd(db, narrowConditions(filter), { ...position, isArchived, max: size });
  const { before, time } = position;
  const part = end ? { ...firstPosition, before, time, until: end.id, untilTime: end.time } : position;
  return { end, rows: await listEvents(db, filter, { ...part, isArchived, max }) };
}

/** The position behind an event. */
export function behind({ id, time }: Pick<SearchEnd, 'id' | 'time'>): Position {
  return { ...firstPosition, before: id, time };
}

/**
 * The conditions that leave few events, which an index has, or a period. Very many may have a status or be
 * due, and the latest of these be far behind the latest of all.
 */
export function narrowConditions(filter: Filter): Filter {
  const isNarrow = (word: string) => word !== 'status' && word !== 'due';
  const narrow = fieldsIn(filter).filter(({ cost, word }) => cost === 'index' && isNarrow(word));
  return Object.fromEntries(narrow.map(({ name }) => [name, filter[name]]));
}
