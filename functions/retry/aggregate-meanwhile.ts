import { aggregateCounts } from '../../shared/counts/aggregate-counts.ts';
import type { Database } from '../../shared/database/database.ts';
import { fillFingerprints } from '../../shared/groups/fingerprint/fill-fingerprints.ts';

const everySeconds = 5;

/**
 * Runs `work`, and aggregates counts before it and every 5 s during it: a long tick changes many counts, and no other
 * function may be running. Returns the result of `work`.
 */
export async function aggregateMeanwhile<T>(db: Database, work: () => Promise<T>): Promise<T> {
  await fillFingerprints(db);
  await aggregateCounts(db);
  // A failed aggregation is repeated by the next one; `work` itself reports a database that is unavailable.
  const aggregating = setInterval(() => aggregateCounts(db).catch(() => {}), everySeconds * 1000);
  try {
    return await work();
  } finally {
    clearInterval(aggregating);
  }
}
