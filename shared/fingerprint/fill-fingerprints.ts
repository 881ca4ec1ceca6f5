import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { type Failure, fingerprint } from './fingerprint.ts';
import { crowdOf } from './new-reasons.ts';

const listUnfingerprinted = statement<{ limit: number }, Failure & { readonly id: string }>(
  'list-unfingerprinted',
);

type Fingerprinted = Pick<Failure, 'errorReason'> & {
  readonly id: string;
  readonly fingerprint: string;
  readonly crowd: string | null;
};

const setFingerprints = statement<{ fingerprints: readonly Fingerprinted[] }, { readonly id: string }>(
  'set-fingerprints',
);

const batchSize = 500;

/** Computes fingerprints of events that plain SQL inserted, for up to `maxMs`. Returns their number. */
export function fillFingerprints(db: Database, maxMs?: number): Promise<number> {
  const fillBatch = async () => {
    const rows = await listUnfingerprinted(db, { limit: batchSize });
    if (rows.length === 0) return [];
    const fingerprints = rows.map(({ id, ...failure }) => {
      const computed = { fingerprint: fingerprint(failure), errorReason: failure.errorReason };
      return { ...computed, id, crowd: crowdOf(failure, computed.fingerprint) };
    });
    return [{ done: (await setFingerprints(db, { fingerprints })).length }];
  };
  return repeatBatches(batchSize, fillBatch, maxMs);
}
