import { countColumns } from '../counts/aggregate-counts.ts';
import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';

const purgeBatch = statement<{ days: number; limit: number }, { readonly purged: number }>(
  'purge-groups',
  countColumns,
);

const retentionDays = 400;
const batchSize = 5000;

/**
 * Deletes error groups without events that were last seen more than 400 days ago and that no operator ever
 * changed; at most 25 batches of 5,000. Returns their number.
 */
export function purgeGroups(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const [result] = await purgeBatch(db, { days: retentionDays, limit: batchSize });
    return result?.purged ?? 0;
  });
}
