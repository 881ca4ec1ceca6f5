import type { Policy } from './policy.ts';
import type { Outcome } from './targets/outcome.ts';

type BreakerPolicy = Policy['breaker'];

/** What deliveries tell of a target, as settle-events.sql reads it. */
export type HealthReport = {
  readonly target: string;
  /** Deliveries to which the target gave an answer that counts, a refusal of the message included. */
  answered: number;
  failed: number;
  /** Failures since the last such answer. */
  failed_in_row: number;
  readonly consecutive_limit: number;
  readonly ratio_limit: number;
  readonly minimum: number;
  readonly cooldown: number;
  readonly longest_cooldown: number;
};

export type TargetHealth = {
  /** True for a cooldown after so many failures in a row that what is left would only make it worse. */
  isDown(target: string): boolean;
  record(target: string, policy: BreakerPolicy, outcome: Outcome['kind']): void;
  /** What was recorded since they were taken last. */
  takeReports(): HealthReport[];
};

/** Watches targets as one worker sees them; what all workers go by is their breakers in the database. */
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
      report.failed_in_row = isFailure ? report.failed_in_row + 1 : 0;
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
    failed_in_row: 0,
    consecutive_limit: policy.consecutiveFailures,
    ratio_limit: policy.failureRatio,
    minimum: policy.minimumDeliveries,
    cooldown: policy.cooldownSeconds,
    longest_cooldown: policy.maxCooldownSeconds,
  };
}
