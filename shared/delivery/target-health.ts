import { isTriedAt, ofTarget } from './cause.ts';
import { recordedMs, watchCauses } from './cause-health.ts';
import {
  addAnswer,
  addFailure,
  type HealthReport,
  type HealthReports,
  type Observed,
  reportOf,
} from './health-reports.ts';

/** Shorter than a cooldown: the answer to a probe is always reported at once. */
const soundMs = 1000;

/** After a row of so many untried events that fail, the next ones are taken from anywhere. */
const shortRow = 4;
/** A row of so many untried events that fail is about the target, if it is three times as long as any before. */
const longRow = 36;

/** The pause after a refusal that names none, and the longest one that grows from shorter ones, in seconds. */
const defaultPause = 1;
const maxPause = 900;

/** A target as one worker has seen it. Times are those of `performance.now()`: a clock may step. */
type Watched = {
  failedInRow: number;
  /** Until when a target that seems down gets nothing: its breaker decides then. */
  downUntil: number;
  /** Until when a target that said "too many" gets nothing, and its pauses in a row. */
  pausedUntil: number;
  pauses: number;
  soundUntil: number;
  /** The untried events that failed since the last that was accepted: how many, and of which kinds. */
  row: number;
  longestRow: number;
  readonly failedKinds: Set<string>;
  readonly acceptedKinds: Set<string>;
  /** Whether several untried events failed and none passed, or a breaker asks whether the target is back. */
  isInDoubt: boolean;
};

/**
 * Watches the health of targets as one worker sees it. The breakers in the database are shared by all
 * workers.
 */
export function watchTargets() {
  const targets = new Map<string, Watched>();
  const reports: HealthReports = new Map();
  const causes = watchCauses(reports);
  const of = (target: string): Watched => {
    const found = targets.get(target) ?? unseen();
    targets.set(target, found);
    return found;
  };
  return {
    causes,
    of,

    record(observed: Observed): void {
      const [seen, report] = [of(observed.target), reportOf(reports, observed, ofTarget)];
      if (observed.meaning === 'limit') pause(seen, observed, report);
      judge(seen, observed, report);
      causes.record(observed);
    },

    /** Whether a report may change a breaker: a delivery failed, or its target may have one. */
    hasNews: () => [...reports.values()].some((report) => isNews(report, of(report.target))),

    /** Records that targets have no breaker: their answers are reported with those of the next second. */
    confirm(sound: readonly string[]): void {
      for (const target of sound) of(target).soundUntil = performance.now() + soundMs;
    },

    /** Returns the deliveries recorded since the last call, by target and cause. */
    takeReports(): HealthReport[] {
      const taken = [...reports.values()];
      reports.clear();
      return taken;
    },
  };
}

function isNews(report: HealthReport, { soundUntil }: Watched): boolean {
  const { cause, failed, failsAll, pause } = report;
  return cause !== ofTarget || failed + pause > 0 || failsAll || performance.now() >= soundUntil;
}

function unseen(): Watched {
  const times = { downUntil: 0, pausedUntil: 0, soundUntil: 0 };
  const counts = { failedInRow: 0, pauses: 0, row: 0, longestRow: 0 };
  return { ...times, ...counts, failedKinds: new Set(), acceptedKinds: new Set(), isInDoubt: false };
}

/** Learns that a target takes no more for some seconds; what was in flight then changes nothing more. */
function pause(seen: Watched, { retryAfterSeconds = defaultPause }: Observed, report: HealthReport): void {
  if (performance.now() < seen.pausedUntil) return;
  const grown = Math.min(maxPause, retryAfterSeconds * 2 ** seen.pauses);
  report.pause = Math.max(retryAfterSeconds, grown);
  seen.pausedUntil = performance.now() + report.pause * 1000;
  seen.pauses += 1;
}

/** Decides for this worker whether a target is down, before its breaker does for all. */
function judge(seen: Watched, observed: Observed, report: HealthReport): void {
  const { meaning, policy } = observed;
  if (meaning === 'target') addFailure(report, observed);
  else if (meaning !== 'limit') addAnswer(report, observed);
  seen.failedInRow = meaning === 'target' ? seen.failedInRow + 1 : 0;
  addToRow(seen, observed);
  report.failsAll = isRow(seen);
  // Of a target that took nothing yet, two failures end what would follow those in flight.
  const enough = Math.min(seen.acceptedKinds.size === 0 ? 2 : Infinity, policy.consecutiveFailures);
  const isDown = report.failsAll || seen.failedInRow >= enough;
  if (meaning === 'accepted') seen.downUntil = 0;
  else if (isDown && performance.now() >= seen.downUntil) seen.downUntil = performance.now() + recordedMs;
}

function addToRow(seen: Watched, { meaning, target, before, kind }: Observed): void {
  if (meaning === 'accepted') {
    // Deliveries in flight when it refused say nothing about the time after.
    if (performance.now() >= seen.pausedUntil) seen.pauses = 0;
    seen.longestRow = Math.max(seen.longestRow, seen.row);
    seen.row = 0;
    seen.failedKinds.clear();
    seen.acceptedKinds.add(kind);
  } else if (meaning === 'event' && !isTriedAt(target, before)) {
    seen.row += 1;
    seen.failedKinds.add(kind);
  }
  seen.isInDoubt ||= seen.row >= shortRow;
}

/**
 * Whether everything fails that is tried for the first time: not if it is of one kind, of which nothing
 * passed while others did.
 */
function isRow({ row, longestRow, failedKinds, acceptedKinds }: Watched): boolean {
  if (row < Math.max(longRow, 3 * longestRow)) return false;
  if (acceptedKinds.size === 0 || failedKinds.size > 1) return true;
  return [...failedKinds].some((kind) => acceptedKinds.has(kind));
}
