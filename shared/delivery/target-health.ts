import type { Policy } from './policy/policy.ts';
import type { Outcome } from './targets/outcome.ts';

type BreakerPolicy = Policy['breaker'];

/** The deliveries to one target since the last report, as judge-breakers.sql reads them. */
export type HealthReport = {
  readonly target: string;
  /** Deliveries that the target accepted, or rejected as permanent: both show that it is up. */
  answered: number;
  failed: number;
  /** Failures since the last such answer. */
  failedInRow: number;
  readonly consecutiveLimit: number;
  readonly ratioLimit: number;
  readonly minimum: number;
  readonly cooldown: number;
  readonly maxCooldown: number;
};

export type TargetHealth = {
  /** True for `cooldownSeconds` after `consecutiveFailures` failures in a row. */
  isDown(target: string): boolean;
  record(target: string, policy: BreakerPolicy, outcome: Outcome['kind']): void;
  /** Returns the deliveries recorded since the last call, by target. */
  takeReports(): HealthReport[];
};

/** Watches the health of targets as one worker sees it. The breakers in the database are shared by all workers. */
export function watchTargets(): TargetHealth {
  const failedInRow = new Map<string, number>();
  const downUntil = new Map<string, number>();
  let reports = new Map<string, HealthReport>();
  const isDown = (target: string) => Date.now() < (downUntil.get(target) ?? 0);
  return {
    isDown,
    record(target, policy, outcome) {
      const report = reports.get(target) ?? emptyReport(target, policy);
      reports.set(target, report);
      const isFailure = outcome === 'transient' || outcome === 'ambiguous';
      const inRow = isFailure ? (failedInRow.get(target) ?? 0) + 1 : 0;
      failedInRow.set(target, inRow);
      report[isFailure ? 'failed' : 'answered'] += 1;
      report.failedInRow = isFailure ? report.failedInRow + 1 : 0;
      if (!isFailure) downUntil.delete(target);
      else if (inRow >= policy.consecutiveFailures && !isDown(target)) {
        downUntil.set(target, Date.now() + policy.cooldownSeconds * 1000);
      }
    },
    takeReports() {
      const taken = [...reports.values()];
      reports = new Map();
      return taken;
    },
  };
}

function emptyReport(target: string, policy: BreakerPolicy): HealthReport {
  return {
    target,
    answered: 0,
    failed: 0,
    failedInRow: 0,
    consecutiveLimit: policy.consecutiveFailures,
    ratioLimit: policy.failureRatio,
    minimum: policy.minimumDeliveries,
    cooldown: policy.cooldownSeconds,
    maxCooldown: policy.maxCooldownSeconds,
  };
}
