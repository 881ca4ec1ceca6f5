import { type Cause, isTriedAt, ofTarget } from './cause.ts';
import type { Meaning } from './policy/meaning.ts';
import type { Policy } from './policy/policy.ts';

type BreakerPolicy = Policy['breaker'];

/** The deliveries to a target, or of one cause there, since the last report, as judge-breakers.sql reads them. */
export type HealthReport = BreakerPolicy & {
  readonly target: string;
  readonly cause: Cause;
  /** Accepted ones. */
  passed: number;
  /** Other answers, which are about the event: they show that the target is up. */
  answered: number;
  /** Failures that are about the target, or of this cause. */
  failed: number;
  /** Failures since the last other one. */
  failedInRow: number;
  /** Whether everything failed that had not been tried there; of a cause: whether it befell others. */
  failsAll: boolean;
  /**
   * When the event of an answer was leased at the earliest, the latest one, by the clock of the database in
   * seconds since the epoch; null without one.
   */
  claimedAt: number | null;
  /** What a failure said. */
  answer: string | null;
};

export type TargetHealth = ReturnType<typeof watchTargets>;

/** One delivery, as a worker knows it. */
export type Observed = {
  readonly target: string;
  readonly policy: BreakerPolicy;
  readonly meaning: Meaning;
  /** What the event failed of before; null if it was not tried. */
  readonly before: Cause | null;
  /** What it fails of now; null if the outcome is not about the event. */
  readonly cause: Cause | null;
  /** Events of one lane are alike. */
  readonly kind: string;
  /** As in a report. */
  readonly claimedAt: number;
  readonly answer: string | null;
};

/** Shorter than a cooldown: the answer to a probe is always reported at once. */
const soundMs = 1000;

/** A replay sends so many events of a cause before the others of it. */
export const maxSamples = 3;

/** After this time a breaker in the database says what this worker has seen. */
const recordedMs = 2000;

/** After a row of so many untried events that fail, the next ones are taken from anywhere. */
const shortRow = 4;
/** A row of so many untried events that fail is about the target. */
const longRow = 36;

/** What a worker has seen of a target. Times are in ms since the epoch. */
type Watched = {
  failedInRow: number;
  downUntil: number;
  soundUntil: number;
  /** The kinds of the untried events that failed since the last that was accepted. */
  row: string[];
  /** The kinds of those that were accepted. */
  readonly passed: Set<string>;
  isInDoubt: boolean;
};

type State = {
  readonly targets: Map<string, Watched>;
  /** Failures in a row of events that had failed of this cause before, and until when it is left alone. */
  readonly causes: Map<Cause, { failed: number; until: number; hasPassed: boolean }>;
  /** How many untried events failed of a cause. */
  readonly alike: Map<Cause, number>;
  reports: Map<string, HealthReport>;
};

/**
 * Watches the health of targets as one worker sees it. The breakers in the database are shared by all
 * workers.
 */
export function watchTargets() {
  const state: State = { targets: new Map(), causes: new Map(), alike: new Map(), reports: new Map() };
  return {
    /** Until when a target that seems down gets nothing, in ms since the epoch: its breaker decides then. */
    downUntil: (target: string) => watched(state, target).downUntil,

    /** Whether several untried events of a target failed, and none passed, or did so in this run. */
    isInDoubt: (target: string) => watched(state, target).isInDoubt,

    /** Whether nothing of a cause passed at the last samples. */
    isFailing: (cause: Cause) => Date.now() < (state.causes.get(cause)?.until ?? 0),

    /** Whether the samples of a cause in this run pass, or fail; undefined before enough of them are known. */
    judgeCause(cause: Cause): 'passes' | 'fails' | undefined {
      const { failed = 0, hasPassed = false } = state.causes.get(cause) ?? {};
      if (failed >= (hasPassed ? 2 : 1) * maxSamples) return 'fails';
      return hasPassed ? 'passes' : undefined;
    },

    /** How many untried events have failed of this cause, without an end to it. */
    countAlike: (cause: Cause) => state.alike.get(cause) ?? 0,

    /** Learns that a breaker asks whether a target is back. */
    doubt(target: string): void {
      watched(state, target).isInDoubt = true;
    },

    record: (observed: Observed) => record(state, observed),

    /**
     * Whether a delivery since the last report may change a breaker: it failed, or its target may have one.
     */
    hasNews: () =>
      [...state.reports.values()].some(
        ({ target, cause, failed, failsAll }) =>
          cause !== ofTarget || failed > 0 || failsAll || Date.now() >= watched(state, target).soundUntil,
      ),

    /** Records that targets have no breaker: their answers are reported with those of the next second. */
    confirm(targets: readonly string[]): void {
      for (const target of targets) watched(state, target).soundUntil = Date.now() + soundMs;
    },

    /** Returns the deliveries recorded since the last call, by target and cause. */
    takeReports(): HealthReport[] {
      const taken = [...state.reports.values()];
      state.reports = new Map();
      return taken;
    },
  };
}

function watched({ targets }: State, target: string): Watched {
  const none = {
    failedInRow: 0,
    downUntil: 0,
    soundUntil: 0,
    row: [],
    passed: new Set<string>(),
    isInDoubt: false,
  };
  const found = targets.get(target) ?? none;
  targets.set(target, found);
  return found;
}

function reportOf({ reports }: State, { target, policy }: Observed, cause: Cause): HealthReport {
  const counts = { passed: 0, answered: 0, failed: 0, failedInRow: 0, failsAll: false };
  const known = reports.get(`${cause} ${target}`);
  const report = known ?? {
    ...ofCause(policy, cause),
    target,
    cause,
    ...counts,
    claimedAt: null,
    answer: null,
  };
  reports.set(`${cause} ${target}`, report);
  return report;
}

/** A cause is asked more rarely than a target that is down: a person has to mend it. */
function ofCause(policy: BreakerPolicy, cause: Cause): BreakerPolicy {
  const times = cause === ofTarget ? 1 : 4;
  const { cooldownSeconds, maxCooldownSeconds } = policy;
  return {
    ...policy,
    cooldownSeconds: times * cooldownSeconds,
    maxCooldownSeconds: times * maxCooldownSeconds,
  };
}

function record(state: State, observed: Observed): void {
  const { meaning, cause, before, target } = observed;
  const report = reportOf(state, observed, ofTarget);
  if (meaning === 'target') fail(report, observed);
  else if (meaning !== 'limit') answer(report, observed);
  watchTarget(state, observed, report);
  const isTried = isTriedAt(target, before);
  if (isTried && before !== null) watchCause(state, observed, before);
  if (cause === null || cause === before) return;
  if (!isTried) state.alike.set(cause, (state.alike.get(cause) ?? 0) + 1);
  Object.assign(reportOf(state, observed, cause), { failsAll: true, answer: observed.answer });
}

/** Decides for this worker whether a target is down, before its breaker does for all. */
function watchTarget(state: State, observed: Observed, report: HealthReport): void {
  const { meaning, target, before, kind, policy } = observed;
  const seen = watched(state, target);
  seen.failedInRow = meaning === 'target' ? seen.failedInRow + 1 : 0;
  if (meaning === 'accepted') {
    seen.row = [];
    seen.passed.add(kind);
  }
  if (meaning === 'event' && !isTriedAt(target, before)) seen.row.push(kind);
  seen.isInDoubt ||= seen.row.length >= shortRow;
  report.failsAll = isRow(seen);
  if (meaning === 'accepted') seen.downUntil = 0;
  else if (
    Date.now() >= seen.downUntil &&
    (report.failsAll || seen.failedInRow >= policy.consecutiveFailures)
  )
    seen.downUntil = Date.now() + recordedMs;
}

/**
 * Whether everything fails that is tried for the first time: not if it is of one kind, of which nothing passed
 * while others did.
 */
function isRow({ row, passed }: Watched): boolean {
  const kinds = new Set(row);
  return (
    row.length >= longRow &&
    (passed.size === 0 || kinds.size > 1 || [...kinds].some((kind) => passed.has(kind)))
  );
}

/** Learns from an event that had failed of a cause before: a sample of it. */
function watchCause(state: State, observed: Observed, before: Cause): void {
  const { meaning, policy, cause } = observed;
  if (meaning === 'accepted') {
    state.causes.set(before, { failed: 0, until: 0, hasPassed: true });
    state.alike.delete(before);
    answer(reportOf(state, observed, before), observed);
  } else if (cause !== null) {
    const known = state.causes.get(before) ?? { failed: 0, hasPassed: false };
    const failed = known.failed + 1;
    const until = failed < policy.consecutiveFailures ? 0 : Date.now() + recordedMs;
    state.causes.set(before, { ...known, failed, until });
    fail(reportOf(state, observed, before), observed);
  }
}

function answer(report: HealthReport, { meaning, claimedAt }: Observed): void {
  report[meaning === 'accepted' ? 'passed' : 'answered'] += 1;
  report.failedInRow = 0;
  report.claimedAt = Math.max(claimedAt, report.claimedAt ?? 0);
}

function fail(report: HealthReport, observed: Observed): void {
  report.failed += 1;
  report.failedInRow += 1;
  report.answer = observed.answer;
}
