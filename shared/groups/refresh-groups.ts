import { aggregateCounts } from '../counts/aggregate-counts.ts';
import type { Database } from '../database/database.ts';
import { isReadOnly } from '../database/probes.ts';
import { repeatBatches } from '../database/repeat-batches.ts';
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
 * Computes missing fingerprints, finishes splits, and brings counts and error groups up to date.
 * Returns the numbers of what it changed.
 */
export async function refresh(db: Database): Promise<Record<string, number>> {
  const fingerprinted = await fillFingerprints(db);
  return { fingerprinted, split: await moveToParts(db), ...(await refreshGroups(db)) };
}

/**
 * Computes missing fingerprints, such as those of failures that applications reported in SQL, and brings
 * counts and groups up to date before pages and the API show error groups, unless the database is a replica:
 * the primary does it there.
 */
export async function refreshUnlessReplica(db: Database): Promise<void> {
  if (await isReadOnly(db)) return;
  await fillFingerprints(db);
  await refreshGroups(db);
}

/**
 * Brings counts and error groups up to date before they are shown: aggregates deltas, titles new groups,
 * reopens muted groups whose condition is met and marks resolved ones that failed again as REGRESSED. A few
 * milliseconds if little changed; safe to call concurrently. Returns the number of deltas and groups of each
 * kind.
 */
export async function refreshGroups(
  db: Database,
): Promise<{ aggregated: number; titled: number; reopened: number }> {
  const aggregated = await aggregateCounts(db);
  const titled = await repeatBatches(batchSize, () => titleNewGroups(db));
  const { length: reopened } = await reopenGroups(db, {});
  return { aggregated, titled, reopened };
}

async function titleNewGroups(db: Database): Promise<number> {
  const rows = await listUntitledGroups(db, { limit: batchSize });
  if (rows.length === 0) return 0;
  const titles = rows.map((row) => ({
    fingerprint: row.fingerprint,
    ...(row.eventType === null ? noLongerKept : nameGroup(row.fingerprint, row)),
  }));
  await titleGroups(db, { titles });
  return rows.length;
}

const noLongerKept: Naming = { title: 'An event that is no longer kept', causes: [], frame: null };

const purgeBatch = statement<{ days: number; limit: number }, { readonly purged: number }>('purge-groups');

const retentionDays = 400;
const purgedAtOnce = 5000;

/**
 * Deletes error groups without events that were last seen more than 400 days ago and that no operator ever
 * changed; at most 25 batches of 5,000. Returns their number.
 */
export function purgeGroups(db: Database): Promise<number> {
  return repeatBatches(purgedAtOnce, async () => {
    const [result] = await purgeBatch(db, { days: retentionDays, limit: purgedAtOnce });
    return result?.purged ?? 0;
  });
}
