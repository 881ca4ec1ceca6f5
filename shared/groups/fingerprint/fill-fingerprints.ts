import type { Database } from '../../database/database.ts';
import { repeatBatches } from '../../database/repeat-batches.ts';
import { statement } from '../../database/statement.ts';
import { type FailureRow, toFailure } from './failure-row.ts';
import { fingerprint } from './fingerprint.ts';

const listUnfingerprinted = statement<{ limit: number }, FailureRow & { readonly id: string }>(
  'list-unfingerprinted',
  import.meta.url,
);

const setFingerprints = statement<
  {
    fingerprints: readonly {
      readonly id: string;
      readonly errorReason: string | null;
      readonly fingerprint: string;
    }[];
  },
  { readonly id: string }
>('set-fingerprints', import.meta.url);

const batchSize = 500;

/** Computes the fingerprint of events without one, such as those inserted by plain SQL, up to 25 batches of 500. Returns their number. */
export function fillFingerprints(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const rows = await listUnfingerprinted(db, { limit: batchSize });
    if (rows.length === 0) return 0;
    const fingerprints = rows.map((row) => ({
      id: row.id,
      errorReason: row.errorReason,
      fingerprint: fingerprint(toFailure(row)),
    }));
    return (await setFingerprints(db, { fingerprints })).length;
  });
}
