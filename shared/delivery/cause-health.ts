import { getOrInsert } from '../get-or-insert.ts';
import type { Cause } from './cause.ts';
import { addAnswer, addFailure, type HealthReport, type Observed, reportOf } from './health-reports.ts';

/** Failures in a row, of events that failed before: their cause fails by itself. */
const maxSamples = 5;
/** Failures of untried events with one answer: the answer is not about each of them. */
const maxAlike = 12;

/** A cause as one worker has seen it. */
type WatchedCause = ReturnType<typeof unseenCause>;

function unseenCause() {
  return {
    /** Failed samples of kinds without a sample that passed. */
    failed: 0,
    /** Untried events that failed of it since the last acceptance; Infinity if others wait for it. */
    alike: 0,
    /** Events that passed, of all kinds: summing the kinds at each delivery would be quadratic. */
    passed: 0,
    /** By kind, once a sample passed. */
    passing: new Map<string, { readonly passed: number; readonly failedInRow: number }>(),
  };
}

/** Watches causes as one worker sees them. */
export function watchCauses(reports: Map<string, HealthReport>) {
  const causes = new Map<Cause, WatchedCause>();
  const seen = (cause: Cause) => getOrInsert(causes, cause, unseenCause);
  // Its breaker opens by the same rule, for all workers. A longer row was trusted, and begins anew.
  const report = (cause: Cause, observed: Observed) => {
    const consecutiveFailures = maxSamples + seen(cause).passed;
    return Object.assign(reportOf(reports, observed, cause), { consecutiveFailures });
  };
  return {
    /**
     * Five samples may go, whatever their kind, until one passes. After a fix others may still fail with the
     * same answer, so a sample speaks for its kind alone. All of its kind may go then, until more fail in a
     * row than have passed, and five: only a delivery tells mended events from the others.
     */
    samplesLeft(cause: Cause, kind: string): number {
      const known = seen(cause);
      // Other events wait for it.
      known.alike = Number.POSITIVE_INFINITY;
      const trust = known.passing.get(kind);
      if (trust === undefined) return maxSamples - known.failed;
      return trust.failedInRow < maxSamples + trust.passed ? Number.POSITIVE_INFINITY : 0;
    },

    /** A refusal with a shared answer is not about the event alone. */
    isShared: (cause: Cause) => seen(cause).alike > maxAlike,

    record(observed: Observed): void {
      const { cause, outcome } = observed;
      const { cause: before } = observed.leased;
      if (before !== null) learnCause(seen(before), observed, report(before, observed));
      if (cause === null || cause === before) return;
      if (before === null) seen(cause).alike += 1;
      Object.assign(report(cause, observed), { failsAll: true, answer: outcome.error ?? null });
    },
  };
}

function learnCause(known: WatchedCause, observed: Observed, report: HealthReport): void {
  const { meaning, cause } = observed;
  const { kind } = observed.leased;
  const trust = known.passing.get(kind);
  if (meaning === 'accepted') {
    addAnswer(report, observed);
    known.passing.set(kind, { passed: (trust?.passed ?? 0) + 1, failedInRow: 0 });
    known.alike = 0;
    known.passed++;
  } else if (cause !== null) {
    addFailure(report, observed);
    if (trust === undefined) known.failed += 1;
    else known.passing.set(kind, { ...trust, failedInRow: trust.failedInRow + 1 });
  }
}
