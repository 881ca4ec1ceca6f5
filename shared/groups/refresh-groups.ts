import { aggregateCounts } from '../counts/aggregate-counts.ts';
import type { Database } from '../database/database.ts';
import { isReadOnly } from '../database/probes.ts';
import { type Batch, repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { fillFingerprints } from '../fingerprint/fill-fingerprints.ts';
import type { Failure, Naming } from '../fingerprint/fingerprint.ts';
import { nameGroup } from './error-groups.ts';
import { moveToParts } from './merge-and-split.ts';

const listUntitledGroups = statement<
  { limit: number },
  { readonly fingerprint: string } & (Failure | { readonly eventType: null })
>('list-untitled-groups');

const titleGroups = statement<{ titles: readonly ({ readonly fingerprint: string } & Naming)[] }, never>(
  'title-groups',
);

const reopenGroups = statement<Record<string, never>, { readonly fingerprint: string }>('reopen-groups');

const batchSize = 500;

/**
 * Brings counts and error groups up to date: computes missing fingerprints, such as those of failures that
 * applications reported in SQL, goes on with splits, aggregates deltas, titles new groups, reopens muted ones
 * at their time and marks resolved ones that failed again as REGRESSED. Of a backlog it does each for up to
 * `maxMs`, at least a batch. Safe to call concurrently. Returns the numbers of what it changed.
 */
export async function refresh(db: Database, maxMs?: number) {
  const fingerprinted = await fillFingerprints(db, maxMs);
  const [{ done: split } = { done: 0 }] = await moveToParts(db);
  const aggregated = await aggregateCounts(db, maxMs);
  const titled = await repeatBatches(batchSize, () => titleNewGroups(db), maxMs);
  const { length: reopened } = await reopenGroups(db, {});
  return { fingerprinted, split, aggregated, titled, reopened };
}

/** Refreshes before groups are shown, of a backlog one batch. The primary of a replica refreshes it. */
export async function refreshUnlessReplica(db: Database): Promise<void> {
  if (!(await isReadOnly(db))) await refresh(db, 0);
}

async function titleNewGroups(db: Database): Promise<Batch[]> {
  const rows = await listUntitledGroups(db, { limit: batchSize });
  if (rows.length === 0) return [];
  const titles = rows.map((row) => ({
    fingerprint: row.fingerprint,
    ...(row.eventType === null ? noLongerKept : nameGroup(row.fingerprint, row)),
  }));
  await titleGroups(db, { titles });
  return [{ done: rows.length }];
}

const noLongerKept: Naming = { title: 'An event that is no longer kept', causes: [], frame: null };

const purgeBatch = statement<{ days: number; limit: number }, Batch>('purge-groups');

const retentionDays = 400;
const purgedAtOnce = 5000;

/**
 * Deletes error groups without events that were last seen more than 400 days ago and that no operator ever
 * changed. Returns their number.
 */
export function purgeGroups(db: Database): Promise<number> {
  return repeatBatches(purgedAtOnce, () => purgeBatch(db, { days: retentionDays, limit: purgedAtOnce }));
}
