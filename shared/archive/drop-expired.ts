import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { saveProgress } from '../jobs/job-state.ts';
import { log } from '../log.ts';
import { exportMonth } from './export-month.ts';
import type { ExportStore } from './export-store.ts';

/** `month` is its first day, `2026-03-01`; what a team has built on it uses it. */
export const listArchivePartitions = statement<
  { retainMonths: number },
  { readonly month: string; readonly usedBy: string | null }
>('list-archive-partitions');

/**
 * Detaches a month if it still has the `exported` events, null for any; without a month, or if it is
 * detached, deletes a page. `nextId` is the position of the next page; null if the month is kept or no page
 * is left.
 */
export const dropArchiveMonth = statement<
  { month: string | null; exported: string | null; afterId: string; limit: number },
  { readonly nextId: string | null }
>('drop-archive-month');

export type Expiry = {
  /** Months that the archive keeps besides the current one; 0 keeps all. */
  readonly retainMonths: number;
  /** Opens the store to which a month is exported before it is dropped, if one is configured. */
  readonly openStore?: (() => Promise<ExportStore>) | undefined;
  /** Bytes of the lines of an exported file: how much of its work a killed call loses. Default: 64 MiB. */
  readonly fileBytes?: number;
};

const pageSize = 1000;

/**
 * Drops the months of the archive that are older than `retainMonths`, each after its verified export if a
 * store is configured. Begins no further file or month after `endsAt` (ms since the epoch): the next call
 * goes on there, as after a killed one. Keeps a month that is used, or changed during its export. Returns the
 * dropped months, `2026-03-01`. Throws the error of a failed export; its month is kept.
 */
export async function dropExpired(
  db: Database,
  { retainMonths, openStore, fileBytes = 64 * 2 ** 20 }: Expiry,
  endsAt: number,
): Promise<string[]> {
  if (retainMonths === 0) return [];
  const dropped: string[] = [];
  // A killed call may have left a detached month.
  await purgeDetached(db, endsAt);
  for (const { month, usedBy } of await listArchivePartitions(db, { retainMonths })) {
    const keep = (because: string) =>
      log('WARNING', `kept the archive of ${month.slice(0, 7)}: ${because}`, { action: 'export', month });
    if (usedBy !== null) {
      keep(`it is used by ${usedBy}`);
      continue;
    }
    const limits = { fileBytes, endsAt };
    const exported = openStore ? await exportMonth({ db, store: await openStore() }, month, limits) : null;
    if (exported === undefined || Date.now() >= endsAt) break;
    const [page] = await dropArchiveMonth(db, { month, exported, afterId: '0', limit: pageSize });
    await saveProgress(db, { name: 'purge', progress: null });
    if (page?.nextId) dropped.push(month);
    else keep('it changed during its export');
    await purgeDetached(db, endsAt);
  }
  return dropped;
}

async function purgeDetached(db: Database, endsAt: number): Promise<void> {
  let afterId: string | null = '0';
  while (afterId !== null && Date.now() < endsAt) {
    const [page] = await dropArchiveMonth(db, { month: null, exported: null, afterId, limit: pageSize });
    afterId = page?.nextId ?? null;
  }
}
