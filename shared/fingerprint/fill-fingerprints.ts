import type { Database } from '../database.ts';
import { repeatBatches } from '../repeat-batches.ts';
import { statement } from '../sql.ts';
import { type FailureRow, toFailure } from './failure-row.ts';
import { fingerprint } from './fingerprint.ts';

const listUnfingerprinted = statement<{ limit: number }, FailureRow & { readonly id: string }>(
  'list-unfingerprinted',
);

const setFingerprints = statement<{ fingerprints: string }, { readonly id: string }>('set-fingerprints');

const batchSize = 500;

/** Gives a fingerprint to events that have none, such as those written by plain SQL. Returns how many; bounded. */
export function fillFingerprints(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const rows = await listUnfingerprinted(db, { limit: batchSize });
    if (rows.length === 0) return 0;
    const fingerprints = rows.map((row) => ({
      id: row.id,
      error_reason: row.error_reason,
      fingerprint: fingerprint(toFailure(row)),
    }));
    return (await setFingerprints(db, { fingerprints: JSON.stringify(fingerprints) })).length;
  });
}
