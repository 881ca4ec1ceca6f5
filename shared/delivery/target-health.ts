import { type Cause, isTriedAt, ofTarget } from './cause.ts';
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
/** So many untried events that fail in a row are about the target, if three times as many as ever before. */
const longRow = 36;

/** The pause after a refusal that names none, and the longest that grows from shorter ones, in seconds. */
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

/** After this time, in ms, a breaker in the database says what a worker has seen. */
const recordedMs = 500;

/** So many events that fail in a row, of those that failed before, show that their cause fails by itself. */
const maxSamples = 5;
/** So many untried events that fail alike show that it is no word about each of them. */
const maxAlike = 12;

/** A cause as one worker has seen it. */
type WatchedCause = {
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
function watchCauses(reports: HealthReports) {
  const causes = new Map<Cause, WatchedCause>();
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
     * all may go then, until more fail in a row than have passed, and five. An earlier stop would leave
     * mended ones to later ticks: only a delivery tells them from the others.
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

function watch(causes: Map<Cause, WatchedCause>, cause: Cause): WatchedCause {
  const found = causes.get(cause) ?? { failed: 0, alike: 0, passed: 0, passing: new Map() };
  causes.set(cause, found);
  return found;
}

/** Learns from a sample of a cause, or from what followed one. */
function learn(known: WatchedCause, observed: Observed, report: HealthReport): void {
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
