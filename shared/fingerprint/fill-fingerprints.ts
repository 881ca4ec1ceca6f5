import type { Database } from '../database/database.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { type Failure, fingerprint, version } from './fingerprint.ts';
import { crowdOf } from './new-reasons.ts';

/** `outdated`: its fingerprint by older rules. */
type Stored = Failure & { readonly id: string; readonly outdated?: string };

const listUnfingerprinted = statement<{ limit: number }, Stored>('list-unfingerprinted');

const listOutdated = statement<{ limit: number; version: string; areMerged: boolean }, Stored>(
  'list-outdated',
);

type Fingerprinted = {
  readonly id: string;
  readonly errorReason: string | null;
  readonly outdated: string | null;
  readonly fingerprint: string;
  readonly crowd: string | null;
};

const setFingerprints = statement<{ fingerprints: readonly Fingerprinted[] }, Moved>('set-fingerprints');

/** An event with its fingerprint before, if it had one, and now. */
type Moved = { readonly outdated: string | null; readonly fingerprint: string };

const continueGroups = statement<{ events: readonly Moved[]; version: string }, never>('continue-groups');

const batchSize = 500;

/** More than of new events: a run of maintain has time. */
const outdatedBatchSize = 1000;

/**
 * Computes the fingerprint of events without one, such as those inserted by plain SQL, up to 25 batches of
 * 500. Returns their number.
 */
export function fillFingerprints(db: Database): Promise<number> {
  return repeatBatches(batchSize, async () => {
    return (await store(db, await listUnfingerprinted(db, { limit: batchSize }))).length;
  });
}

/**
 * Computes fingerprints by older rules again, up to 25 batches of 1,000, and lets their groups go on. Returns
 * the number of events. Those of merged groups come first, while it is known what they are merged into.
 */
export async function regroup(db: Database): Promise<number> {
  const run = (areMerged: boolean) =>
    repeatBatches(outdatedBatchSize, async () => {
      const events = await store(
        db,
        await listOutdated(db, { limit: outdatedBatchSize, version, areMerged }),
      );
      if (events.length > 0) await continueGroups(db, { events, version });
      return events.length;
    });
  return (await run(true)) + (await run(false));
}

async function store(db: Database, rows: readonly Stored[]) {
  if (rows.length === 0) return [];
  const fingerprints = rows.map((row) => {
    const { id, errorReason, outdated = null } = row;
    const computed = fingerprint(row);
    return { id, errorReason, outdated, fingerprint: computed, crowd: crowdOf(row, computed) };
  });
  return setFingerprints(db, { fingerprints });
}
