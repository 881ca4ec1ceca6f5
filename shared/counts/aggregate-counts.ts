import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { unlessLocked } from '../database/unavailable.ts';
import { countColumns } from './count-columns.ts';

const aggregateDeltas = statement<{ limit: number }, { readonly aggregated: number }>(
  'aggregate-counts',
  countColumns,
);

const batchSize = 20_000;

/**
 * Moves the deltas that the triggers appended into the sums, up to 25 batches of 20,000. Views are exact
 * without it; it keeps them fast and creates new error groups. Moves none while another session keeps a sum
 * locked. Returns the number of deltas moved.
 */
export function aggregateCounts(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const [result] = await unlessLocked(aggregateDeltas(db, { limit: batchSize }), []);
    return result?.aggregated ?? 0;
  });
}
