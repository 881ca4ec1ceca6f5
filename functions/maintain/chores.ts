import { createArchivePartitions } from '../../shared/archive.ts';
import { archiveClosed } from './archive/archive-closed.ts';
import { dropExpired } from './archive/drop-expired.ts';
import { openBucket } from './archive/export-store.ts';
import { warnOfOverdue } from './archive/warn-of-overdue.ts';
import { forgetCounts } from './forget-counts.ts';
import { forgetRates } from './forget-rates.ts';
import type { MaintainDeps } from './maintain-deps.ts';
import { report } from './metrics/metrics.ts';
import { takeStock } from './take-stock.ts';

/** Work that is due every day. Says in numbers what it did; begins nothing new after `endsAt` (ms since the epoch). */
export type Chore = (deps: MaintainDeps, endsAt: number) => Promise<Readonly<Record<string, number>>>;

/** What maintain does, in this order. A new chore is one line here. */
export const chores: Readonly<Record<string, Chore>> = {
  'take stock': ({ db }) => takeStock(db),
  'forget counts': ({ db }) => forgetCounts(db),
  'forget rates': ({ db }) => forgetRates(db),
  'make partitions': async ({ db }) => ({ made: (await createArchivePartitions(db, { ahead: 2 })).length }),
  archive: async ({ db, retention }, endsAt) => ({ archived: await archiveClosed(db, retention, endsAt) }),
  'drop months': async ({ db, retention }, endsAt) => {
    const { retainMonths, exportBucket } = retention;
    const openStore = exportBucket === undefined ? undefined : () => openBucket(exportBucket);
    return { dropped: (await dropExpired(db, { retainMonths, openStore }, endsAt)).length };
  },
  'warn of overdue events': async ({ db, retention }) => ({
    overdue: await warnOfOverdue(db, retention.openWarnDays),
  }),
  'report figures': async (deps) => {
    await report(deps);
    return {};
  },
};
