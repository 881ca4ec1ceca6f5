import { createArchivePartitions } from '../../shared/archive/archive.ts';
import { archiveClosed } from '../../shared/archive/archive-closed.ts';
import { dropExpired } from '../../shared/archive/drop-expired.ts';
import { openBucket } from '../../shared/archive/export-store.ts';
import { warnOfOverdue, warnOfUndecided } from '../../shared/archive/warn-of-overdue.ts';
import type { RetentionConfig } from '../../shared/config/retention.ts';
import { purgeCounts } from '../../shared/counts/purge-counts.ts';
import { purgeBreakerChanges } from '../../shared/delivery/breakers.ts';
import { purgeRateLimits } from '../../shared/delivery/rate-limits.ts';
import { purgeGroups } from '../../shared/groups/purge-groups.ts';
import { refresh } from '../../shared/groups/refresh-groups.ts';
import { setConfiguredRules } from '../../shared/groups/set-configured-rules.ts';
import { type MetricsDeps, report } from './metrics.ts';

/** Dependencies of maintain. */
export type MaintainDeps = MetricsDeps & { readonly retention: RetentionConfig };

/** A daily job. Returns what it did in numbers; starts no new batch after `endsAt` (ms since the epoch). */
export type Job = (deps: MaintainDeps, endsAt: number) => Promise<Readonly<Record<string, number>>>;

/** The jobs of maintain by name, in the order in which they run. */
export const jobs: Readonly<Record<string, Job>> = {
  refresh: async ({ db, retention }) => {
    await setConfiguredRules(db, { rules: retention.groupRules });
    return refresh(db);
  },
  purgeCounts: ({ db }) => purgeCounts(db),
  purgeGroups: async ({ db }) => ({ groups: await purgeGroups(db) }),
  purgeRates: ({ db }) => purgeRateLimits(db),
  purgeBreakerChanges: ({ db }) => purgeBreakerChanges(db),
  createPartitions: async ({ db }) => ({ created: (await createArchivePartitions(db, { ahead: 2 })).length }),
  archive: async ({ db, retention }, endsAt) => ({ archived: await archiveClosed(db, retention, endsAt) }),
  dropMonths: async ({ db, retention }, endsAt) => {
    const { retainMonths, exportBucket } = retention;
    const openStore = exportBucket === undefined ? undefined : () => openBucket(exportBucket);
    return { dropped: (await dropExpired(db, { retainMonths, openStore }, endsAt)).length };
  },
  warnOfOverdue: async ({ db, retention }) => ({
    overdue: await warnOfOverdue(db, retention.openWarnDays),
    undecided: await warnOfUndecided(db, retention.archiveUndecidedAfterDays),
  }),
  reportMetrics: async (deps) => {
    await report(deps);
    return {};
  },
};
