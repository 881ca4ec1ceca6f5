import { getOrInsert } from '../get-or-insert.ts';
import { watchChanges } from './changes.ts';
import { minClaimOf, openClaimSizes } from './claim-sizes.ts';
import { type Concurrency, openConcurrency } from './concurrency.ts';
import { type Limited, type Limits, nameSamples } from './deal.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { inSequence } from './in-sequence.ts';
import { openMessages } from './messages.ts';
import type { Closed, EventGroup, Leased, Look, Stop, Terms, Wait } from './picker.ts';
import type { Rate } from './rates.ts';
import type { Route } from './routes.ts';
import type { Delivered, Settlement } from './settlement.ts';
import type { HeldSlot } from './slots.ts';
import { emptyTallies } from './tally.ts';
import { watchTargets } from './target-health.ts';
import { nameTarget } from './targets/target-kinds.ts';

/** The state of one worker. Each step takes it, and changes only what it says. */
export type Work = ReturnType<typeof openWork>;

/** The due events of a tick, or the selection of a replay. */
export type Picker = {
  /** Groups that this pass has read and that may go, by a name. */
  readonly groups: Map<string, EventGroup>;
  /** Returns the terms on which events may go now, or why none may. Throws DatabaseUnavailableError. */
  look(work: Work): Promise<Look>;
  /** Begins to read again, from the first event on. */
  rewind(terms: Terms): void;
  /** Whether a pass may end before it has read all. */
  canRewind(): boolean;
  /** Reads the next events into groups. */
  read(work: Work, pass: Pass): Promise<void>;
  /** Whether there are events to read at once. */
  hasMore(work: Work): boolean;
  /** Adds the events that come after delivered ones in the order of their keys. */
  follow(delivered: readonly string[]): Promise<void>;
  /** Takes the events out whose cause fails by itself; without it they wait for another time. */
  readonly setAside?: (pass: Pass, ids: readonly string[]) => Promise<void>;
  /** Why the run ends after a pass in which nothing could go, if it does; `idleMs`: since the first one. */
  stopAfter(pass: Pass, idle: { readonly work: Work; readonly idleMs: number }): Promise<Stop | undefined>;
  /** The rates of its run. */
  readonly rates?: readonly Rate[];
  /** Takes from the limit of the run as a whole; a negative number returns unused events. */
  take?(work: Work, wanted: number): Promise<number>;
  /** Whether a group is offered again after a wait: else its events wait for another time. */
  waitsFor(work: Work, group: EventGroup, wait: Wait): boolean;
  readonly obeysBreakers: boolean;
  readonly obeysHolds: boolean;
  /** Whether samples of a cause go before the rest of it. */
  readonly samplesCauses: boolean;
};

/** One look at all events of a picker. */
export type Pass = {
  terms: Terms;
  readonly startedAt: number;
  /** In ms: the time that its statements took. */
  busyMs: number;
  /** Events found that could go, or that another pass has to look at. */
  gained: number;
  /** Events that were locked, or have changed. */
  missed: number;
  /** What kept a group from its target. */
  closed?: Closed;
};

export type Assignment = {
  /** Null if it is not committed. */
  readonly runId: string | null;
  readonly picker: Picker;
  /** In ms since the epoch. */
  readonly endsAt: number;
  readonly held?: HeldSlot | undefined;
};

/** Opens the state of a worker that has leased nothing yet. */
export function openWork(deps: DeliveryDeps, assignment: Assignment) {
  const sizes = openClaimSizes(deps.retry.batchSize);
  const countSoon = ({ target }: Route) => sizes.soonOf(nameTarget(target), performance.now());
  /** Of those in flight, the ones whose delivery has not begun, with the function that releases each. */
  const waiting = new Map<Leased, () => void>();
  return {
    deps,
    ...assignment,
    pass: undefined as Pass | undefined,
    /** Since when nothing could go, by `performance.now()`. */
    idleSince: undefined as number | undefined,
    /** Delivered first events of keys: those after them may go. */
    delivered: [] as string[],
    /** Its work; that of a slot is reported to the run. */
    tallies: assignment.held?.tallies ?? emptyTallies(),
    changes: watchChanges(),
    health: watchTargets(),
    sizes,
    readMessage: openMessages({ db: deps.db, waiting, countSoon }),
    /** Leased events in the hands of a delivery. */
    inFlight: new Set<Leased>(),
    waiting,
    /** Events to be delivered alone, after all others. */
    suspects: [] as Leased[],
    concurrency: new Map<Route, Concurrency>(),
    sequence: inSequence<Settlement>(),
    /** Outcomes that are not recorded, and how many are in a settlement or wait for a locked event. */
    outcomes: [] as Delivered[],
    settling: 0,
    isSettling: false,
    isJudging: false,
    settleTimer: undefined as NodeJS.Timeout | undefined,
    errors: [] as unknown[],
    /** When it looks for leases that have ended, by `performance.now()`. */
    recoversAt: 0,
  };
}

/** The concurrency of a route, which all its leases share. */
export function concurrencyOf({ concurrency, changes }: Pick<Work, 'concurrency' | 'changes'>, route: Route) {
  const open = () => openConcurrency(route.policy.concurrency, changes.announce);
  return getOrInsert(concurrency, route, open);
}

/** Leases of the largest size in flight at once. They are held in memory, without the messages. */
const maxLeases = 4;

/** Whether every leased event has been delivered and settled. */
export function isEmpty({ inFlight, suspects, outcomes, settling, isJudging }: Work): boolean {
  return inFlight.size + suspects.length + outcomes.length + settling === 0 && !isJudging;
}

/** Until when the target of a route takes no more, by `performance.now()`. */
export function pausedUntil({ health }: Work, route: Route): number {
  return health.of(nameTarget(route.target)).pausedUntil;
}

/** The same, or until when it seems down. */
export function waitsUntil(work: Work, route: Route): number {
  const { downUntil } = work.health.of(nameTarget(route.target));
  return Math.max(pausedUntil(work, route), work.picker.obeysBreakers ? downUntil : 0);
}

function isWaiting(work: Work, route: Route): boolean {
  return performance.now() < waitsUntil(work, route);
}

type Sampled = Pick<EventGroup, 'cause' | 'kind'>;

function samplesLeft({ health, picker }: Work, { cause, kind }: Sampled): number {
  const isSampled = cause !== null && picker.samplesCauses;
  return isSampled ? health.causes.samplesLeft(cause, kind) : Number.POSITIVE_INFINITY;
}

/** Whether the samples of a cause fail: what is like them would only fail again. */
export function isFailing(work: Work, sampled: Sampled): boolean {
  return samplesLeft(work, sampled) <= 0;
}

/** The groups of which samples go first, and how many of each cause beside those in flight. */
function limitSamples(work: Work, groups: readonly EventGroup[]) {
  const isLimited = (each: Sampled) => Number.isFinite(samplesLeft(work, each));
  const sampled = new Set(groups.filter(isLimited));
  const samples = new Map([...sampled].map((group) => [nameSamples(group), samplesLeft(work, group)]));
  for (const leased of sampled.size > 0 ? work.inFlight : []) {
    const left = samples.get(nameSamples(leased));
    if (left !== undefined && isLimited(leased)) samples.set(nameSamples(leased), Math.max(0, left - 1));
  }
  return { sampled, samples };
}

/** Whether a leased event has to wait: also if its cause fails by itself. */
export function hasToWait(work: Work, leased: Leased): boolean {
  return isWaiting(work, leased.route) || (work.picker.obeysBreakers && isFailing(work, leased));
}

/** Whether more events of a route can be leased. */
export function hasRoom(work: Work, route: Route): boolean {
  const { inFlight, suspects, deps } = work;
  return (
    inFlight.size <= (maxLeases - 1) * deps.retry.batchSize &&
    suspects.length === 0 &&
    !concurrencyOf(work, route).isFull() &&
    !isWaiting(work, route)
  );
}

/** What the targets lately accepted, and no more than the lease can carry. */
function sizeFor({ sizes, deps: { retry } }: Work, routes: readonly Route[]): number {
  const carried = routes.reduce(
    (sum, { policy }) =>
      sum + policy.concurrency * Math.max(1, Math.floor(retry.leaseSeconds / policy.timeoutSeconds)),
    0,
  );
  const lately = sizes.of(new Set(routes.map(({ target }) => nameTarget(target))), performance.now());
  return lately > minClaimOf(retry.batchSize) ? lately : Math.min(lately, carried);
}

export function limitLease(work: Work, groups: readonly EventGroup[]): Limits {
  const routes = [...new Set(groups.map(({ route }) => route))];
  // A fast target does not make the leases of a slow one large.
  const sizes = routes.map((route) => [route, sizeFor(work, [route])] as const);
  const { sampled, samples } = limitSamples(work, groups);
  return { all: sizeFor(work, routes), parts: new Map<Limited, number>([...sizes, ...samples]), sampled };
}

/** Keeps an error for the worker, which ends with it. */
export function fail({ errors, changes }: Work, error: unknown): void {
  errors.push(error);
  changes.announce();
}
