import { getOrInsert } from '../get-or-insert.ts';
import { type Cause, ofTarget } from './cause.ts';
import { nameBreaker } from './deal.ts';
import type { Policy } from './policy/policy.ts';
import type { Meaning } from './targets/outcome.ts';

type BreakerPolicy = Policy['breaker'];

export type Observed = {
  readonly target: string;
  readonly policy: BreakerPolicy;
  readonly meaning: Meaning;
  /** Of its failure there before, if it has failed there. */
  readonly before: Cause | null;
  /** Null if no event can cause it. */
  readonly cause: Cause | null;
  readonly kind: string;
  readonly claimedAt: number;
  readonly answer: string | null;
  readonly retryAfterSeconds?: number | undefined;
};

/** The deliveries to a target, or of a cause there, since the last report, for judge-breakers.sql. */
export type HealthReport = ReturnType<typeof openReport>;

function openReport({ target, policy }: Observed, cause: Cause) {
  return {
    ...policyOf(policy, cause),
    target,
    cause,
    passed: 0,
    /** Answers about the event: the target is up. */
    answered: 0,
    /** Failures about the target, or of this cause. */
    failed: 0,
    failedInRow: 0,
    /** All untried events failed; of a cause: it befell others. */
    failsAll: false,
    /** The latest lease of an answered event, by the clock of the database in seconds since the epoch. */
    claimedAt: null as number | null,
    answer: null as string | null,
    /** In seconds; 0 if the target refused nothing. */
    pause: 0,
  };
}

/** By target and cause. */
export type HealthReports = Map<string, HealthReport>;

/** The report of a target, or of a cause there. */
export function reportOf(reports: HealthReports, observed: Observed, cause: Cause): HealthReport {
  const name = nameBreaker({ target: observed.target, cause });
  return getOrInsert(reports, name, () => openReport(observed, cause));
}

/** A person mends a cause, maybe in part: it is asked more rarely, and a share of failures opens nothing. */
function policyOf(policy: BreakerPolicy, cause: Cause): BreakerPolicy {
  if (cause === ofTarget) return policy;
  const [cooldownSeconds, maxCooldownSeconds] = [4 * policy.cooldownSeconds, 4 * policy.maxCooldownSeconds];
  return { ...policy, cooldownSeconds, maxCooldownSeconds, failureRatio: 1 };
}

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
