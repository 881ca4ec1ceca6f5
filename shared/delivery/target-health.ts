import { isTriedAt, ofTarget } from './cause.ts';
import { recordedMs, watchCauses } from './cause-health.ts';
import { addAnswer, addFailure, type HealthReport, type Observed, openReports } from './health-reports.ts';

/** Shorter than a cooldown: the answer to a probe is always reported at once. */
const soundMs = 1000;

/** After a row of so many untried events that fail, the next ones are taken from anywhere. */
const shortRow = 4;
/** A row of so many untried events that fail is about the target, if it is three times as long as any before. */
const longRow = 36;

/** A target as one worker has seen it. Times are those of `performance.now()`: a clock may step. */
type Watched = {
  failedInRow: number;
  downUntil: number;
  soundUntil: number;
  /** The untried events that failed since the last that was accepted: how many, and of which kinds. */
  row: number;
  longestRow: number;
  readonly failedKinds: Set<string>;
  readonly acceptedKinds: Set<string>;
  isInDoubt: boolean;
};

/**
 * Watches the health of targets as one worker sees it. The breakers in the database are shared by all
 * workers.
 */
export function watchTargets() {
  const targets = new Map<string, Watched>();
  const reports = openReports();
  const causes = watchCauses(reports);
  const watched = (target: string): Watched => {
    const found = targets.get(target) ?? unseen();
    targets.set(target, found);
    return found;
  };
  return {
    causes,

    /** Until when a target that seems down gets nothing, by `performance.now()`: its breaker decides then. */
    downUntil: (target: string) => watched(target).downUntil,

    /** Whether several untried events of a target failed, and none passed, or did so in this run. */
    isInDoubt: (target: string) => watched(target).isInDoubt,

    /** Learns that a breaker asks whether a target is back. */
    doubt: (target: string) => Object.assign(watched(target), { isInDoubt: true }),

    record(observed: Observed): void {
      judge(watched(observed.target), observed, reports.of(observed, ofTarget));
      causes.record(observed);
    },

    /** Whether a report may change a breaker: a delivery failed, or its target may have one. */
    hasNews: () => reports.some((report) => isNews(report, watched(report.target))),

    /** Records that targets have no breaker: their answers are reported with those of the next second. */
    confirm(sound: readonly string[]): void {
      for (const target of sound) watched(target).soundUntil = performance.now() + soundMs;
    },

    /** Returns the deliveries recorded since the last call, by target and cause. */
    takeReports: reports.take,
  };
}

function isNews({ cause, failed, failsAll }: HealthReport, { soundUntil }: Watched): boolean {
  return cause !== ofTarget || failed > 0 || failsAll || performance.now() >= soundUntil;
}

function unseen(): Watched {
  const kinds = { failedKinds: new Set<string>(), acceptedKinds: new Set<string>() };
  return { ...kinds, failedInRow: 0, downUntil: 0, soundUntil: 0, row: 0, longestRow: 0, isInDoubt: false };
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
