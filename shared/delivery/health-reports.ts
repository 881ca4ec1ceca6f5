import { type Cause, ofTarget } from './cause.ts';
import { nameBreaker } from './deal.ts';
import type { Meaning } from './policy/meaning.ts';
import type { Policy } from './policy/policy.ts';

type BreakerPolicy = Policy['breaker'];

/** Deliveries to a target, or of a cause there, since the last report, as judge-breakers.sql reads them. */
export type HealthReport = BreakerPolicy & {
  readonly target: string;
  readonly cause: Cause;
  /** Accepted ones. */
  passed: number;
  /** Other answers, which are about the event: they show that the target is up. */
  answered: number;
  /** Failures that are about the target, or of this cause. */
  failed: number;
  /** Failures since the last other one. */
  failedInRow: number;
  /** Whether everything failed that had not been tried there; of a cause: whether it befell others. */
  failsAll: boolean;
  /**
   * When the event of an answer was leased at the earliest, the latest one, by the clock of the database in
   * seconds since the epoch; null without one.
   */
  claimedAt: number | null;
  /** The error of a failure. */
  answer: string | null;
  /** Seconds for which the target takes no more; 0 without a refusal. */
  pause: number;
};

/** One delivery, as a worker knows it. */
export type Observed = {
  readonly target: string;
  readonly policy: BreakerPolicy;
  readonly meaning: Meaning;
  /** The cause of its failure before; null if it was not tried. */
  readonly before: Cause | null;
  /** The cause of its failure now; null if no event can cause it. */
  readonly cause: Cause | null;
  /** Events of one kind are alike. */
  readonly kind: string;
  /** As in a report. */
  readonly claimedAt: number;
  readonly answer: string | null;
  readonly retryAfterSeconds?: number | undefined;
};

/** The deliveries since the last report, by target and cause. */
export type HealthReports = Map<string, HealthReport>;

/** The report of a target, or of a cause there. */
export function reportOf(reports: HealthReports, { target, policy }: Observed, cause: Cause): HealthReport {
  const name = nameBreaker({ target, cause });
  const counts = { passed: 0, answered: 0, failed: 0, failedInRow: 0, pause: 0 };
  const none = { ...counts, failsAll: false, claimedAt: null, answer: null };
  const report = reports.get(name) ?? { ...none, ...policyOf(policy, cause), target, cause };
  reports.set(name, report);
  return report;
}

/**
 * A cause is asked more rarely than a target that is down: a person has to mend it. It may be mended in part,
 * so that a share of failures opens no breaker.
 */
function policyOf(policy: BreakerPolicy, cause: Cause): BreakerPolicy {
  if (cause === ofTarget) return policy;
  const [cooldownSeconds, maxCooldownSeconds] = [4 * policy.cooldownSeconds, 4 * policy.maxCooldownSeconds];
  return { ...policy, cooldownSeconds, maxCooldownSeconds, failureRatio: 1 };
}

/** Adds an answer. */
export function addAnswer(report: HealthReport, { meaning, claimedAt }: Observed): void {
  report[meaning === 'accepted' ? 'passed' : 'answered'] += 1;
  report.failedInRow = 0;
  report.claimedAt = Math.max(claimedAt, report.claimedAt ?? 0);
}

/** Adds a failure that is about the target, or of the cause. */
export function addFailure(report: HealthReport, { answer }: Observed): void {
  report.failed += 1;
  report.failedInRow += 1;
  report.answer = answer;
}
