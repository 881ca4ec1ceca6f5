import { type Cause, isTriedAt } from './cause.ts';
import {
  addAnswer,
  addFailure,
  type HealthReport,
  type HealthReports,
  type Observed,
  reportOf,
} from './health-reports.ts';

/** After this time, in ms, a breaker in the database says what a worker has seen. */
export const recordedMs = 500;

/** So many events that fail in a row, of those that failed before, show that their cause fails by itself. */
const maxSamples = 5;
/** So many untried events that fail alike show that it is no word about each of them. */
const maxAlike = 12;

/** A cause as one worker has seen it. */
type Watched = {
  /** Samples that failed, of kinds of which none passed. */
  failed: number;
  /** Untried events that failed of it since the last one that passed; Infinity if others wait for it. */
  alike: number;
  /** Events that passed, of all kinds: a sum over many kinds at each delivery would be quadratic. */
  passed: number;
  /** Of kinds of which a sample passed: how many may fail in a row. */
  readonly passing: Map<string, Trust>;
};

/** How many passed, and how many have failed since the last one. */
type Trust = { readonly passed: number; readonly failedInRow: number };

/** Watches what fails at targets with the same answer, as one worker sees it. */
export function watchCauses(reports: HealthReports) {
  const causes = new Map<Cause, Watched>();
  const seen = (cause: Cause) => watch(causes, cause);
  // Its breaker opens by the same rule, for all workers.
  const report = (cause: Cause, observed: Observed) => {
    const consecutiveFailures = maxSamples + seen(cause).passed;
    return Object.assign(reportOf(reports, observed, cause), { consecutiveFailures });
  };
  return {
    /**
     * How many samples of a cause may be sent: five, whatever their kind, until one passes. When a bug is
     * mended, others may go on failing with the same answer, so that it speaks for its kind alone, of which
     * all may go then, until more fail in a row than have passed, and five: whoever stops earlier leaves
     * mended ones to later ticks, as nothing but a delivery tells them from the others.
     */
    samplesLeft(cause: Cause, kind: string): number {
      const known = seen(cause);
      // The caller has events that wait for it.
      known.alike = Number.POSITIVE_INFINITY;
      const trust = known.passing.get(kind);
      if (trust === undefined) return maxSamples - known.failed;
      return trust.failedInRow < maxSamples + trust.passed ? Number.POSITIVE_INFINITY : 0;
    },

    /** Whether others fail alike: that an event is refused is no word about it alone. */
    isShared: (cause: Cause) => seen(cause).alike > maxAlike,

    /** Learns from a delivery: of what the event failed before, and of what it fails now. */
    record(observed: Observed): void {
      const { target, before, cause } = observed;
      const isTried = before !== null && isTriedAt(target, before);
      if (isTried) learn(seen(before), observed, report(before, observed));
      if (cause === null || cause === before) return;
      if (!isTried) seen(cause).alike += 1;
      Object.assign(report(cause, observed), { failsAll: true, answer: observed.answer });
    },
  };
}

function watch(causes: Map<Cause, Watched>, cause: Cause): Watched {
  const found = causes.get(cause) ?? { failed: 0, alike: 0, passed: 0, passing: new Map() };
  causes.set(cause, found);
  return found;
}

/** Learns from a sample of a cause, or from what followed one. */
function learn(known: Watched, observed: Observed, report: HealthReport): void {
  const { meaning, kind, cause } = observed;
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
