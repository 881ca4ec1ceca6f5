import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { Filter } from './filter-schema.ts';

const listMembers = statement<{ fingerprints: readonly string[] }, { readonly fingerprint: string }>(
  'list-members',
);

/**
 * The filter with the fingerprints of the groups that are merged into those that it names: their events keep
 * their own. As values and not as a part of the condition, because the planner estimates by them, and reads
 * one fingerprint in the order of its index.
 */
export async function includeMerged(db: Database, filter: Filter): Promise<Filter> {
  const { fingerprint: fingerprints } = filter;
  if (fingerprints === undefined) return filter;
  const merged = (await listMembers(db, { fingerprints })).map(({ fingerprint }) => fingerprint);
  return { ...filter, fingerprint: [...new Set([...fingerprints, ...merged])] };
}
