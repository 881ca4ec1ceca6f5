import type { Database } from './database.ts';
import { repeatBatches } from './repeat-batches.ts';
import { statement } from './sql.ts';

const foldChanges = statement<{ limit: number }, { readonly folded: number }>('fold-counts');

const batchSize = 20_000;

/**
 * Folds what was counted since the last time into the sums. They are exact without it, but for error groups that are
 * new, and the longer nobody does it the longer reading them takes. Returns how many changes there were; bounded.
 */
export function foldCounts(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const [result] = await foldChanges(db, { limit: batchSize });
    return result?.folded ?? 0;
  });
}
