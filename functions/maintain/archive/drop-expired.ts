import {
  dropArchivePartition,
  forgetDroppedEvents,
  listArchivePartitions,
  readArchived,
} from '../../../shared/archive.ts';
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
 * whose export fails is kept, and so is one that changed meanwhile. Returns the months that are gone.
 */
export async function dropExpired(db: Database, expiry: Expiry, endsAt: number): Promise<string[]> {
  if (expiry.retainMonths === 0) return [];
  const before = new Date();
  before.setUTCMonth(before.getUTCMonth() - expiry.retainMonths, 1);
  before.setUTCHours(0, 0, 0, 0);
  const dropped: string[] = [];
  // What an earlier call was killed at.
  await forgetDropped(db, endsAt);
  for (const { month } of await listArchivePartitions(db, { before })) {
    if (Date.now() >= endsAt) break;
    const events = await exportIfAsked(db, expiry, month);
    const [{ isDropped } = { isDropped: false }] = await dropArchivePartition(db, { month, events });
    if (isDropped) dropped.push(month);
    else
      log('WARNING', `kept the archive of ${month.slice(0, 7)}: it changed meanwhile`, {
        act: 'export',
        month,
      });
    await forgetDropped(db, endsAt);
  }
  return dropped;
}

/** How many events were exported; null: nobody asked for it. An empty month has nothing to export. */
async function exportIfAsked(db: Database, { openStore }: Expiry, month: string): Promise<number | null> {
  if (!openStore) return null;
  const [first] = await readArchived(db, { month, afterId: '0', limit: 1 });
  if (!first) return 0;
  const manifest = await exportMonth(db, await openStore(), month);
  const message = `exported ${manifest.events} archived events of ${month.slice(0, 7)}`;
  log('INFO', message, { act: 'export', ...manifest });
  return manifest.events;
}

async function forgetDropped(db: Database, endsAt: number): Promise<void> {
  let afterId: string | null = '0';
  while (afterId !== null && Date.now() < endsAt) {
    const [page] = await forgetDroppedEvents(db, { afterId, limit: pageSize });
    afterId = page?.lastId ?? null;
  }
}
