import { archiveClosed, createArchivePartitions } from '../../shared/archive/archive-closed.ts';
import { dropExpired } from '../../shared/archive/drop-expired.ts';
import { openBucket } from '../../shared/archive/export-store.ts';
import { warnOfOverdue } from '../../shared/archive/warn-of-overdue.ts';
import type { RetentionConfig } from '../../shared/config/retention.ts';
import type { RetryConfig } from '../../shared/config/retry.ts';
import { purgeCounts } from '../../shared/counts/aggregate-counts.ts';
import { purgeBreakers } from '../../shared/delivery/breakers.ts';
import { setConfiguredRules } from '../../shared/groups/merge-and-split.ts';
import { purgeGroups, refresh } from '../../shared/groups/refresh-groups.ts';
import { logDigest } from '../../shared/jobs/digest.ts';
import type { JobName } from '../../shared/jobs/jobs.ts';
import { requestReplays } from '../../shared/replay/work-on-replay.ts';
import { type MetricsDeps, report } from './metrics.ts';

/** Dependencies of maintain. */
export type MaintainDeps = MetricsDeps & {
  readonly retry: RetryConfig<'maintain'>;
  readonly retention: RetentionConfig;
};

/** Returns what it did in numbers; begins no new part after `endsAt` (ms since the epoch). */
export type Step = (deps: MaintainDeps, endsAt: number) => Promise<Readonly<Record<string, number>>>;

/** The steps of each job by name, in the order in which they run. */
export const steps: Readonly<Record<JobName, Readonly<Record<string, Step>>>> = {
  metrics: { report: async (deps) => ({ metrics: (await report(deps)).length }) },
  replays: {
    request: async ({ db, retry }) => ({ requested: await requestReplays(db, retry.continueTopic) }),
  },
  archive: {
    refresh: async ({ db, retention }) => {
      await setConfiguredRules(db, { rules: retention.groupRules });
      return refresh(db);
    },
    createPartitions: async ({ db }) => ({
      created: (await createArchivePartitions(db, { ahead: 2 })).length,
    }),
    archive: async ({ db, retention }, endsAt) => ({ archived: await archiveClosed(db, retention, endsAt) }),
    warnOfOverdue: ({ db, retention }) => warnOfOverdue(db, retention),
  },
  purge: {
    counts: async ({ db }) => ({ hours: await purgeCounts(db) }),
    groups: async ({ db }) => ({ groups: await purgeGroups(db) }),
    breakers: ({ db, routes }) => purgeBreakers(db, routes),
    months: async ({ db, retention: { retainMonths, exportBucket } }, endsAt) => {
      const openStore = exportBucket === undefined ? undefined : () => openBucket(exportBucket);
      return { dropped: (await dropExpired(db, { retainMonths, openStore }, endsAt)).length };
    },
  },
  digest: { log: ({ db }) => logDigest(db) },
};
