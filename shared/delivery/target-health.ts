import { getOrInsert } from '../get-or-insert.ts';
import { ofTarget } from './cause.ts';
import { watchCauses } from './cause-health.ts';
import { watchFlights } from './flights.ts';
import { addAnswer, addFailure, type HealthReport, type Observed, reportOf } from './health-reports.ts';

// The conclusions of a worker from its own deliveries. A target that seems down gets nothing for half a
// second: by then judge-breaker.sql has decided from the reports of all workers.

/** In ms: so often a worker in full flow reports on targets that it does not doubt. */
const reportMs = 1000;

/** After this many failures of untried events in a row, the next events are taken from anywhere. */
const shortRow = 4;
/** This many in a row are about the target, if no row before had a third of them. */
const longRow = 36;

/** In seconds: the least after a refusal, and the longest that grows from shorter ones. */
const minPause = 1;
const maxPause = 900;
/** A tick has the time to obey a shorter one, whatever it is about. */
export const longLimit = 60;

/** A target as one worker has seen it. Times are those of `performance.now()`: a clock may step. */
type Watched = ReturnType<typeof openWatch>;

function openWatch() {
  return {
    failedInRow: 0,
    /** The target seems down: its breaker decides at this time. */
    downUntil: 0,
    /** The target takes no more until this time; its pauses in a row. */
    pausedUntil: 0,
    pauses: 0,
    /** Failures of untried events since the last acceptance: their number, and their kinds. */
    row: 0,
    longestRow: 0,
    failedKinds: new Set<string>(),
    acceptedKinds: new Set<string>(),
    /** Several untried events failed in a row, or a breaker probes the target. */
    isInDoubt: false,
    begin: watchFlights(),
  };
}

/** Watches targets as one worker sees them. All workers share the breakers in the database. */
export function watchTargets() {
  const targets = new Map<string, Watched>();
  const reports = new Map<string, HealthReport>();
  let reportedAt = Number.NEGATIVE_INFINITY;
  const causes = watchCauses(reports);
  const of = (target: string) => getOrInsert(targets, target, openWatch);
  return {
    causes,
    of,

    record(observed: Observed): void {
      const [seen, report] = [of(observed.leased.target), reportOf(reports, observed, ofTarget)];
      if (observed.meaning === 'limit') addPause(seen, observed, report);
      judgeTarget(seen, observed, report);
      causes.record(observed);
    },

    /** Takes the reports if one may change a breaker, by a failure or in a doubt, or if it is time. */
    takeNews(isIdle: boolean): HealthReport[] {
      const isUrgent = ({ target, failed, failsAll, pause }: HealthReport) =>
        failed + pause > 0 || failsAll || of(target).isInDoubt;
      const taken = [...reports.values()];
      const isTime = isIdle || performance.now() >= reportedAt + reportMs;
      if (!(isTime || taken.some(isUrgent))) return [];
      reports.clear();
      reportedAt = performance.now();
      return taken;
    },
  };
}

/** Deliveries in flight at the first refusal make its pause no longer, unless they show that it is long. */
function addPause(seen: Watched, { outcome }: Observed, report: HealthReport): void {
  const asked = Math.max(minPause, outcome.retryAfterSeconds ?? 0);
  const isPaused = performance.now() < seen.pausedUntil;
  if (isPaused && asked <= longLimit) return;
  report.pause = isPaused ? asked : Math.max(asked, Math.min(maxPause, asked * 2 ** seen.pauses));
  seen.pausedUntil = performance.now() + report.pause * 1000;
  seen.pauses += 1;
}

/** Decides for this worker whether a target is down, before its breaker decides for all. */
function judgeTarget(seen: Watched, observed: Observed, report: HealthReport): void {
  const { meaning, leased } = observed;
  const { consecutiveFailures } = leased.route.policy.breaker;
  if (meaning === 'target') addFailure(report, observed);
  else if (meaning !== 'limit') addAnswer(report, observed);
  seen.failedInRow = meaning === 'target' ? seen.failedInRow + 1 : 0;
  addToRow(seen, observed);
  report.failsAll = isRow(seen);
  // A target that accepted nothing yet is down after two failures.
  const enough = Math.min(seen.acceptedKinds.size === 0 ? 2 : Infinity, consecutiveFailures);
  const isDown = report.failsAll || seen.failedInRow >= enough;
  if (meaning === 'accepted') seen.downUntil = 0;
  else if (isDown) seen.downUntil = performance.now() + recordedMs;
}

function addToRow(seen: Watched, { meaning, leased: { cause: before, kind } }: Observed): void {
  if (meaning === 'accepted') {
    // Deliveries in flight when it refused say nothing about the time after.
    if (performance.now() >= seen.pausedUntil) seen.pauses = 0;
    seen.longestRow = Math.max(seen.longestRow, seen.row);
    seen.row = 0;
    seen.failedKinds.clear();
    seen.acceptedKinds.add(kind);
  } else if (meaning === 'event' && before === null) {
    seen.row += 1;
    seen.failedKinds.add(kind);
  }
  seen.isInDoubt ||= seen.row >= shortRow;
}

/** All untried events fail. One kind alone is no sign if others passed and none of this kind did. */
function isRow({ row, longestRow, failedKinds, acceptedKinds }: Watched): boolean {
  if (row < Math.max(longRow, 3 * longestRow)) return false;
  if (acceptedKinds.size === 0 || failedKinds.size > 1) return true;
  return [...failedKinds].some((kind) => acceptedKinds.has(kind));
}

/** In ms: by then the breaker in the database has recorded the failures of this worker. */
const recordedMs = 500;
