import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { countColumns } from './count-columns.ts';

type Batch = { readonly days: number; readonly limit: number };
type Purged = { readonly purged: number };

const addUpDays = statement<Batch, Purged>('add-up-days', import.meta.url, countColumns);
const purgeHours = statement<Batch, Purged>('purge-hours', import.meta.url);

/** Charts of a week have steps of 6 hours, and so has the week before it. */
const hourDays = 15;
const retentionDays = 400;
const batchSize = 5000;

/**
 * Adds up the hours of each day that is older than 15 days, and deletes counts that are older than 400; at most 25 batches of
 * 5,000 rows each. Returns the numbers of rows. What happened so far stays counted in dlq_counts_current.
 */
export async function purgeCounts(db: Database): Promise<{ addedUp: number; hours: number }> {
  const repeat = (work: typeof purgeHours, days: number) =>
    repeatBatches(batchSize, async () => {
      const [result] = await work(db, { days, limit: batchSize });
      return result?.purged ?? 0;
    });
  return {
    addedUp: await repeat(addUpDays, hourDays),
    hours: await repeat(purgeHours, retentionDays),
  };
}
