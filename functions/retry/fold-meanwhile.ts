import type { Database } from '../../shared/database.ts';
import { fillFingerprints } from '../../shared/fingerprint/fill-fingerprints.ts';
import { foldCounts } from '../../shared/fold-counts.ts';

const everySeconds = 5;

/** Does `work` and folds meanwhile what it changes: a long tick changes a great deal, and nobody else may be there. */
export async function foldMeanwhile<T>(db: Database, work: () => Promise<T>): Promise<T> {
  await fillFingerprints(db);
  await foldCounts(db);
  // One that fails is made up for by the next; the work itself notices a database that is away.
  const folding = setInterval(() => foldCounts(db).catch(() => {}), everySeconds * 1000);
  try {
    return await work();
  } finally {
    clearInterval(folding);
  }
}
