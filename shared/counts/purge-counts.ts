import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { countColumns } from './count-columns.ts';

const coarsenHours = statement<
  { hourDays: number; dayDays: number; limit: number },
  { readonly coarsened: number }
>('coarsen-hours', countColumns);
const purgeHours = statement<{ days: number; limit: number }, { readonly purged: number }>('purge-hours');

/** A chart of a day shows the day before it by hour, one of a week the week before it by six hours. */
const keptDays = { hourDays: 2, dayDays: 15 };
const retentionDays = 400;
const limit = 5000;

/**
 * Adds up the hours of error groups, to six hours after 2 days and to days after 15, and deletes counts that
 * are older than 400 days; at most 25 batches of 5,000 rows each. Returns the numbers of rows. What happened
 * so far stays counted in dlq_counts.
 */
export async function purgeCounts(db: Database): Promise<{ coarsened: number; hours: number }> {
  const coarsened = await repeatBatches(limit, async () => {
    const [result] = await coarsenHours(db, { ...keptDays, limit });
    return result?.coarsened ?? 0;
  });
  const hours = await repeatBatches(limit, async () => {
    return (await purgeHours(db, { days: retentionDays, limit })).length;
  });
  return { coarsened, hours };
}
