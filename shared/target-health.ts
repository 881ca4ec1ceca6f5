import type { Policy } from './policy.ts';
import type { Outcome } from './targets/outcome.ts';

type BreakerPolicy = Policy['breaker'];

/** What the deliveries of one batch tell of a target, as settle-events.sql reads it. */
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
  /** False once so many deliveries have failed in a row that the rest of the batch would only make it worse. */
  mayDeliver(target: string): boolean;
  record(target: string, policy: BreakerPolicy, outcome: Outcome['kind']): void;
  reports(): HealthReport[];
};

/** Watches targets during one batch; between batches and instances their breakers are in the database. */
export function watchTargets(): TargetHealth {
  const reports = new Map<string, HealthReport>();
  return {
    mayDeliver(target) {
      const report = reports.get(target);
      return report === undefined || report.failed_in_row < report.consecutive_limit;
    },
    record(target, policy, outcome) {
      const report = reports.get(target) ?? emptyReport(target, policy);
      reports.set(target, report);
      if (outcome === 'transient' || outcome === 'ambiguous') {
        report.failed += 1;
        report.failed_in_row += 1;
      } else {
        report.answered += 1;
        report.failed_in_row = 0;
      }
    },
    reports: () => [...reports.values()],
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
