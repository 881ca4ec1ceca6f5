import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';

type Purged = { readonly purged: number };

const purgeHours = statement<{ days: number; limit: number }, Purged>('purge-hours', import.meta.url);
const purgeGroups = statement<{ days: number; limit: number }, Purged>('purge-groups', import.meta.url);
const purgeCurrentCounts = statement<Record<string, never>, Purged>('purge-current-counts', import.meta.url);

/** Retention of hours, and of error groups that no operator ever changed. */
const retentionDays = 400;
const batchSize = 5000;

/**
 * Deletes counts by hour and day that are older than 400 days, error groups without events that were last seen before that, and
 * current counts that are zero; at most 25 batches of 5,000 rows each. Returns the numbers of deleted rows. Lifetime
 * counts stay.
 */
export async function purgeCounts(db: Database): Promise<{ hours: number; groups: number; totals: number }> {
  const purge = (work: typeof purgeHours) =>
    repeatBatches(batchSize, async () => {
      const [result] = await work(db, { days: retentionDays, limit: batchSize });
      return result?.purged ?? 0;
    });
  const hours = await purge(purgeHours);
  const groups = await purge(purgeGroups);
  const [totals] = await purgeCurrentCounts(db, {});
  return { hours, groups, totals: totals?.purged ?? 0 };
}
