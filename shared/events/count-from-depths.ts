import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { statuses } from '../message/event.ts';
import type { Filter } from './filter/filter-schema.ts';
import { includeMerged } from './filter/filtered-statement.ts';
import { toLikePattern } from './filter/list-kinds.ts';

const sumDepths = statement<
  { statuses: readonly string[]; types: readonly string[] | null; fingerprints: readonly string[] | null },
  { readonly events: number }
>('count-from-depths');

/**
 * The exact number of events that a filter matches, from the counts; undefined if the filter has a condition
 * on anything but type, status and error group.
 */
export async function countFromDepths(db: Database, filter: Filter): Promise<number | undefined> {
  const { status = statuses, eventType, fingerprint: _, ...others } = filter;
  if (Object.keys(others).length > 0) return undefined;
  const { fingerprint: fingerprints = null } = await includeMerged(db, filter);
  const types = eventType?.map(toLikePattern) ?? null;
  const [sum] = await sumDepths(db, { statuses: status, types, fingerprints });
  return sum?.events;
}
