import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { type Failure, fingerprint } from './fingerprint.ts';
import { crowdOf } from './new-reasons.ts';

type Stored = Failure & { readonly id: string };

const listUnfingerprinted = statement<{ limit: number }, Stored>('list-unfingerprinted');

type Fingerprinted = {
  readonly id: string;
  readonly errorReason: string | null;
  readonly fingerprint: string;
  readonly crowd: string | null;
};

const setFingerprints = statement<{ fingerprints: readonly Fingerprinted[] }, { readonly id: string }>(
  'set-fingerprints',
);

const batchSize = 500;

/**
 * Computes the fingerprint of events without one, such as those inserted by plain SQL, up to 25 batches of
 * 500. Returns their number.
 */
export function fillFingerprints(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    const rows = await listUnfingerprinted(db, { limit: batchSize });
    const fingerprints = rows.map((row) => {
      const computed = fingerprint(row);
      const { id, errorReason } = row;
      return { id, errorReason, fingerprint: computed, crowd: crowdOf(row, computed) };
    });
    const { length } = rows.length === 0 ? [] : await setFingerprints(db, { fingerprints });
    return length;
  });
}
