import { getOrInsert } from '../get-or-insert.ts';
import { type Cause, ofTarget } from './cause.ts';
import { nameBreaker } from './deal.ts';
import type { Leased } from './picker.ts';
import type { Route } from './routes.ts';
import type { Knowledge, Sent } from './settlement.ts';

/** What a delivery shows of its target, and of its cause there: null if no event can cause it. */
export type Observed = Pick<Sent, 'leased' | 'outcome'> & Pick<Knowledge, 'meaning' | 'cause'>;

/** The deliveries to a target, or of a cause there, since the last report, for judge-breaker.sql. */
export type HealthReport = ReturnType<typeof openReport>;

function openReport({ target, route }: Leased, cause: Cause) {
  return {
    ...policyOf(route, cause),
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

/** The report of a target, or of a cause there. */
export function reportOf(reports: Map<string, HealthReport>, { leased }: Observed, cause: Cause) {
  const name = nameBreaker({ target: leased.target, cause });
  return getOrInsert(reports, name, () => openReport(leased, cause));
}

/** A person mends a cause, maybe in part: it is asked more rarely, and a share of failures opens nothing. */
function policyOf({ policy: { breaker } }: Route, cause: Cause) {
  if (cause === ofTarget) return breaker;
  const [cooldownSeconds, maxCooldownSeconds] = [4 * breaker.cooldownSeconds, 4 * breaker.maxCooldownSeconds];
  return { ...breaker, cooldownSeconds, maxCooldownSeconds, failureRatio: 1 };
}

export function addAnswer(report: HealthReport, { meaning, leased }: Observed): void {
  report[meaning === 'accepted' ? 'passed' : 'answered'] += 1;
  report.failedInRow = 0;
  report.claimedAt = Math.max(leased.leasedAt, report.claimedAt ?? 0);
}

/** Adds a failure that is about the target, or of the cause. */
export function addFailure(report: HealthReport, { outcome }: Observed): void {
  report.failed += 1;
  report.failedInRow += 1;
  report.answer = outcome.error ?? null;
}
