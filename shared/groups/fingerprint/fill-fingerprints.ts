import type { Database } from '../../database/database.ts';
import { repeatBatches } from '../../database/repeat-batches.ts';
import { statement } from '../../database/statement.ts';
import { type Failure, fingerprint } from './fingerprint.ts';

const listUnfingerprinted = statement<{ limit: number }, Failure & { readonly id: string }>(
  'list-unfingerprinted',
  import.meta.url,
);

type Fingerprinted = {
  readonly id: string;
  readonly errorReason: string | null;
  readonly fingerprint: string;
};

const setFingerprints = statement<{ fingerprints: readonly Fingerprinted[] }, { readonly id: string }>(
  'set-fingerprints',
  import.meta.url,
);

const batchSize = 500;

/**
 * Computes the fingerprint of events without one, such as those inserted by plain SQL, up to 25 batches of
 * 500. Returns their number.
 */
export function fillFingerprints(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const rows = await listUnfingerprinted(db, { limit: batchSize });
    if (rows.length === 0) return 0;
    const fingerprints = rows.map((row) => {
      const { id, errorReason } = row;
      return { id, errorReason, fingerprint: fingerprint(row) };
    });
    return (await setFingerprints(db, { fingerprints })).length;
  });
}
