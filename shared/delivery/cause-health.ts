import { type Cause, isTriedAt } from './cause.ts';
import {
  addAnswer,
  addFailure,
  type HealthReport,
  type HealthReports,
  type Observed,
} from './health-reports.ts';

/** After this time, in ms, a breaker in the database says what a worker has seen. */
export const recordedMs = 500;

/** So many samples that fail are enough to know that a cause fails by itself. */
const maxSamples = 3;

/** What follows a sample that passed ends when so many have failed, and more than this part of what passed. */
const maxFailed = 5;
const maxFailedPart = 1 / 4;

/** What a worker has seen of a cause. */
type Watched = {
  /** Samples that failed, of kinds of which none passed. */
  failed: number;
  /** Events that were not tried before, and failed of it since the last one that passed. */
  alike: number;
  /** Kinds of which a sample passed. */
  readonly passing: Map<string, { passed: number; failed: number }>;
};

/** Watches what fails at targets with the same answer, as one worker sees it. */
export function watchCauses(reports: HealthReports) {
  const causes = new Map<Cause, Watched>();
  const seen = (cause: Cause): Watched => {
    const found = causes.get(cause) ?? { failed: 0, alike: 0, passing: new Map() };
    causes.set(cause, found);
    return found;
  };
  return {
    /**
     * How many events of a cause may fail before the others of their kind are left alone in this run, and the
     * name of this number: kinds share one until a sample passes. When a bug is mended, others may go on
     * failing with the same answer, so that a sample speaks for its kind alone.
     */
    samplesLeft(cause: Cause, kind: string): { readonly name: string; readonly left: number } {
      const { failed, passing } = seen(cause);
      const own = passing.get(kind);
      if (!own) return { name: `cause ${cause}`, left: maxSamples - failed };
      const left = Math.floor(Math.max(maxFailed, maxFailedPart * own.passed)) - own.failed;
      return { name: `kind ${kind}`, left };
    },

    /** How many untried events have failed of this cause, without one that passed. */
    countAlike: (cause: Cause) => seen(cause).alike,

    /** Learns from a delivery: of what the event failed before, and of what it fails now. */
    record(observed: Observed): void {
      const { target, before, cause } = observed;
      const isTried = before !== null && isTriedAt(target, before);
      if (isTried) learn(seen(before), observed, reports.of(observed, before));
      if (cause === null || cause === before) return;
      if (!isTried) seen(cause).alike += 1;
      Object.assign(reports.of(observed, cause), { failsAll: true, answer: observed.answer });
    },
  };
}

/** Learns from a sample of a cause, or from what followed one. */
function learn(known: Watched, observed: Observed, report: HealthReport): void {
  const { meaning, kind, cause } = observed;
  const own = known.passing.get(kind);
  if (meaning === 'accepted') {
    addAnswer(report, observed);
    known.passing.set(kind, { failed: 0, ...own, passed: (own?.passed ?? 0) + 1 });
    known.alike = 0;
  } else if (cause !== null) {
    addFailure(report, observed);
    (own ?? known).failed += 1;
  }
}
