import type { Database } from './database.ts';
import { type FailureRow, toFailure } from './fingerprint/failure-row.ts';
import { titleFailure } from './fingerprint/fingerprint.ts';
import { foldCounts } from './fold-counts.ts';
import { repeatBatches } from './repeat-batches.ts';
import { statement } from './sql.ts';

const listUntitledGroups = statement<
  { limit: number },
  { readonly fingerprint: string } & (FailureRow | { readonly event_type: null })
>('list-untitled-groups');

const titleGroups = statement<{ titles: string }, never>('title-groups');

const wakeGroups = statement<Record<string, never>, { readonly fingerprint: string }>('wake-groups');

const batchSize = 500;

/**
 * Brings the counts and the error groups up to date before somebody looks at them: folds, names new groups, and wakes
 * those whose time has come. Costs a few milliseconds where little happened. Safe at any time and in any number.
 */
export async function catchUp(db: Database): Promise<{ folded: number; named: number; woken: number }> {
  const folded = await foldCounts(db);
  const named = await repeatBatches(batchSize, () => nameGroups(db));
  const { length: woken } = await wakeGroups(db, {});
  return { folded, named, woken };
}

async function nameGroups(db: Database): Promise<number> {
  const rows = await listUntitledGroups(db, { limit: batchSize });
  if (rows.length === 0) return 0;
  const titles = rows.map((row) => ({
    fingerprint: row.fingerprint,
    title: row.event_type === null ? 'an event that is no longer kept' : titleFailure(toFailure(row)),
  }));
  await titleGroups(db, { titles: JSON.stringify(titles) });
  return rows.length;
}
