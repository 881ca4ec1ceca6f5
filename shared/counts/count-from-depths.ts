import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { toLikePattern } from '../events/filter/filter-condition.ts';
import type { Filter } from '../events/filter/filter-schema.ts';
import { statuses } from '../events/filter/filter-values.ts';
import { includeMerged } from '../groups/include-merged.ts';

const sumEvents = statement<
  {
    statuses: readonly string[];
    types: readonly string[] | null;
    fingerprints: readonly string[] | null;
  },
  { readonly events: number }
>('count-from-depths', import.meta.url);

/**
 * The exact number of events that a filter matches, from the counts, without reading events; undefined if the filter has a condition
 * on anything but type, status and error group.
 */
export async function countFromDepths(db: Database, filter: Filter): Promise<number | undefined> {
  const { eventType, status, fingerprint: _, ...others } = filter;
  if (Object.keys(others).length > 0) return undefined;
  const { fingerprint } = await includeMerged(db, filter);
  const [sum] = await sumEvents(db, {
    statuses: status ?? statuses,
    types: eventType?.map(toLikePattern) ?? null,
    fingerprints: fingerprint ?? null,
  });
  return sum?.events ?? 0;
}
