import { type Cause, isTriedAt } from './cause.ts';
import {
  addAnswer,
  addFailure,
  type HealthReport,
  type HealthReports,
  type Observed,
} from './health-reports.ts';

/** A replay sends so many events of a cause before the others of it. */
export const maxSamples = 3;

/** After this time, in ms, a breaker in the database says what a worker has seen. */
export const recordedMs = 500;

/** What a worker has seen of a cause. */
type Watched = {
  /** Events that had failed of it before, and failed again, in a row. */
  readonly failed: number;
  /** Until when it is left alone, in ms since the epoch. */
  readonly until: number;
  readonly hasPassed: boolean;
  /** Events that were not tried before, and failed of it since the last one that passed. */
  readonly alike: number;
};

const unseen: Watched = { failed: 0, until: 0, hasPassed: false, alike: 0 };

/** Watches what fails at targets with the same answer, as one worker sees it. */
export function watchCauses(reports: HealthReports) {
  const causes = new Map<Cause, Watched>();
  const seen = (cause: Cause) => causes.get(cause) ?? unseen;
  return {
    /** Whether nothing of a cause passed at the last samples. */
    isFailing: (cause: Cause) => Date.now() < seen(cause).until,

    /** Whether the samples of a cause pass in this run, or fail; undefined before enough are known. */
    judgeCause: (cause: Cause) => judge(seen(cause)),

    /** How many untried events have failed of this cause, without one that passed. */
    countAlike: (cause: Cause) => seen(cause).alike,

    /** Learns from a delivery: of what the event failed before, and of what it fails now. */
    record(observed: Observed): void {
      const { target, before, cause } = observed;
      const isTried = before !== null && isTriedAt(target, before);
      if (isTried) causes.set(before, learn(seen(before), observed, reports.of(observed, before)));
      if (cause === null || cause === before) return;
      if (!isTried) causes.set(cause, { ...seen(cause), alike: seen(cause).alike + 1 });
      Object.assign(reports.of(observed, cause), { failsAll: true, answer: observed.answer });
    },
  };
}

function judge({ failed, hasPassed }: Watched): 'passes' | 'fails' | undefined {
  if (failed >= (hasPassed ? 2 : 1) * maxSamples) return 'fails';
  return hasPassed ? 'passes' : undefined;
}

/** Learns from a sample of a cause. */
function learn(known: Watched, observed: Observed, report: HealthReport): Watched {
  const { meaning, policy, cause } = observed;
  if (meaning === 'accepted') {
    addAnswer(report, observed);
    return { ...unseen, hasPassed: true };
  }
  if (cause === null) return known;
  addFailure(report, observed);
  const failed = known.failed + 1;
  return { ...known, failed, until: failed < policy.consecutiveFailures ? 0 : Date.now() + recordedMs };
}
