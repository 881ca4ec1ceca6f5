import type { Policy } from './policy/policy.ts';
import type { Outcome } from './targets/outcome.ts';

type BreakerPolicy = Policy['breaker'];

/** The deliveries to one target since the last report, and its policy, as judge-breakers.sql reads them. */
export type HealthReport = BreakerPolicy & {
  readonly target: string;
  /** Deliveries that the target accepted, or rejected as permanent: both show that it is up. */
  answered: number;
  failed: number;
  /** Failures since the last such answer. */
  failedInRow: number;
  /**
   * When the event of such an answer was claimed at the earliest, the latest one, by the clock of the
   * database in seconds since the epoch; null without one.
   */
  claimedAt: number | null;
};

export type TargetHealth = ReturnType<typeof watchTargets>;

/** One delivery: its outcome, and when its event was claimed, as in a report. */
type Delivery = { readonly outcome: Outcome['kind']; readonly claimedAt: number };

/** Shorter than a cooldown: the answer to a probe is always reported at once. */
const soundMs = 1000;

/** Times are in ms since the epoch. */
type Watched = {
  readonly failedInRow: Map<string, number>;
  readonly downUntil: Map<string, number>;
  readonly soundUntil: Map<string, number>;
  reports: Map<string, HealthReport>;
};

/**
 * Watches the health of targets as one worker sees it. The breakers in the database are shared by all
 * workers.
 */
export function watchTargets() {
  const watched: Watched = {
    failedInRow: new Map(),
    downUntil: new Map(),
    soundUntil: new Map(),
    reports: new Map(),
  };
  return {
    /** True for `cooldownSeconds` after `consecutiveFailures` failures in a row. */
    isDown: (target: string) => isDown(watched, target),

    record: (target: string, policy: BreakerPolicy, delivery: Delivery) =>
      record(watched, { target, policy, delivery }),

    /**
     * Whether a delivery since the last report may change a breaker: it failed, or its target may have one.
     */
    hasNews: () =>
      [...watched.reports.values()].some(
        ({ target, failed }) => failed > 0 || Date.now() >= (watched.soundUntil.get(target) ?? 0),
      ),

    /** Records that targets have no breaker: their answers are reported with those of the next second. */
    confirm(targets: readonly string[]): void {
      for (const target of targets) watched.soundUntil.set(target, Date.now() + soundMs);
    },

    /** Returns the deliveries recorded since the last call, by target. */
    takeReports(): HealthReport[] {
      const taken = [...watched.reports.values()];
      watched.reports = new Map();
      return taken;
    },
  };
}

function isDown({ downUntil }: Watched, target: string): boolean {
  return Date.now() < (downUntil.get(target) ?? 0);
}

type Recorded = { readonly target: string; readonly policy: BreakerPolicy; readonly delivery: Delivery };

function record(watched: Watched, { target, policy, delivery: { outcome, claimedAt } }: Recorded): void {
  const { reports, failedInRow, downUntil } = watched;
  const none = { ...policy, target, answered: 0, failed: 0, failedInRow: 0, claimedAt: null };
  const report: HealthReport = reports.get(target) ?? none;
  reports.set(target, report);
  const isFailure = outcome === 'transient' || outcome === 'ambiguous';
  const inRow = isFailure ? (failedInRow.get(target) ?? 0) + 1 : 0;
  failedInRow.set(target, inRow);
  report[isFailure ? 'failed' : 'answered'] += 1;
  report.failedInRow = isFailure ? report.failedInRow + 1 : 0;
  if (!isFailure) {
    downUntil.delete(target);
    report.claimedAt = Math.max(claimedAt, report.claimedAt ?? 0);
  } else if (inRow >= policy.consecutiveFailures && !isDown(watched, target)) {
    downUntil.set(target, Date.now() + policy.cooldownSeconds * 1000);
  }
}
