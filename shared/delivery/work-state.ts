import { getOrInsert } from '../get-or-insert.ts';
import { watchChanges } from './changes.ts';
import { openClaimSizes } from './claim-sizes.ts';
import { type Concurrency, openConcurrency } from './concurrency.ts';
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
  /** The reason that kept a group from its target. */
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
  const countSoon = (target: string) => sizes.soonOf(target, performance.now());
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
    /** Further workers that it has requested. */
    requests: [] as Promise<void>[],
    /** When it looks for leases that have ended, by `performance.now()`. */
    recoversAt: 0,
  };
}

/** The concurrency of a route, which all its leases share. */
export function concurrencyOf({ concurrency, changes }: Pick<Work, 'concurrency' | 'changes'>, route: Route) {
  const open = () => openConcurrency(route.policy.concurrency, changes.announce);
  return getOrInsert(concurrency, route, open);
}

/** Whether every leased event has been delivered and settled. */
export function isEmpty({ inFlight, suspects, outcomes, settling, isJudging }: Work): boolean {
  return inFlight.size + suspects.length + outcomes.length + settling === 0 && !isJudging;
}

/** Keeps an error for the worker, which ends with it. */
export function fail({ errors, changes }: Work, error: unknown): void {
  errors.push(error);
  changes.announce();
}
