import { dropArchivePartition, forgetAttempts, listArchivePartitions } from '../../../shared/archive.ts';
import type { Database } from '../../../shared/database.ts';
import { log } from '../../../shared/log.ts';
import { exportMonth } from './export-month.ts';
import type { ExportStore } from './export-store.ts';

export type Expiry = {
  /** Months that the archive keeps beside the current one; 0: for ever. */
  readonly retainMonths: number;
  /** Where a month is written to before it is dropped, if anywhere. */
  readonly openStore?: (() => Promise<ExportStore>) | undefined;
};

const pageSize = 1000;

/**
 * Drops the months of the archive that are past their time, each exported and read back before, if so configured. A month
 * whose export fails is kept. Returns the months that are gone.
 */
export async function dropExpired(db: Database, expiry: Expiry, endsAt: number): Promise<string[]> {
  if (expiry.retainMonths === 0) return [];
  const before = new Date();
  before.setUTCMonth(before.getUTCMonth() - expiry.retainMonths, 1);
  before.setUTCHours(0, 0, 0, 0);
  const dropped: string[] = [];
  for (const { month } of await listArchivePartitions(db, { before })) {
    if (Date.now() >= endsAt) break;
    if (expiry.openStore) {
      const manifest = await exportMonth(db, await expiry.openStore(), month);
      log('INFO', `exported ${manifest.events} archived events of ${month.slice(0, 7)}`, {
        act: 'export',
        ...manifest,
      });
    }
    await forgetAllAttempts(db, month);
    const [{ isDropped } = { isDropped: false }] = await dropArchivePartition(db, { month });
    if (isDropped) dropped.push(month);
  }
  return dropped;
}

/** An attempt has no meaning without its event. */
async function forgetAllAttempts(db: Database, month: string): Promise<void> {
  let afterId: string | undefined = '0';
  while (afterId !== undefined) {
    const [page] = await forgetAttempts(db, { month, afterId, limit: pageSize });
    afterId = page?.id;
  }
}
