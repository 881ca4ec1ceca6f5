import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

const purge = statement<Record<string, never>, { readonly purged: number }>(
  'purge-rate-limits',
  import.meta.url,
);

/** Purges the token buckets of routes and replays that no delivery has used for a day. Each replay with a rate has one. */
export async function purgeRateLimits(db: Database): Promise<{ rates: number }> {
  const [result] = await purge(db, {});
  return { rates: result?.purged ?? 0 };
}
