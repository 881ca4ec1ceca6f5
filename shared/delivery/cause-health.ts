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

/** What follows a sample that passed goes on until so many have failed, and one in so many. */
const maxFailed = 5;
const maxFailedPart = 1 / 5;

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
     * Whether the samples of a kind pass in this run, or fail; undefined before enough are known. When a bug is
     * mended, others may go on failing with the same answer: a sample that passes speaks for its kind alone.
     */
    judge: (cause: Cause, kind: string) => judge(seen(cause), kind),

    /** How many samples of a cause may be sent beside those that failed, whatever their kind. */
    samplesLeft: (cause: Cause): number => maxSamples - seen(cause).failed,

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

function judge({ failed, passing }: Watched, kind: string): 'passes' | 'fails' | undefined {
  const own = passing.get(kind);
  if (!own) return failed >= maxSamples ? 'fails' : undefined;
  const isFailing = own.failed >= maxFailed && own.failed > maxFailedPart * (own.failed + own.passed);
  return isFailing ? 'fails' : 'passes';
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
