import { statement } from '../database/statement.ts';
import type { Origin, Status } from '../message/event.ts';
import type { Cause } from './cause.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { Route } from './routes.ts';

/** Events that are dealt out in turn: of one lane and priority, or of one route. */
export type Group = {
  /** A lower one goes first. */
  readonly priority: number;
  readonly route: Route;
  readonly target: string;
  /** The cause of their failure there; null if they were not tried there, or accepted. */
  readonly cause: Cause | null;
  readonly kind: string;
  /** Whether only the first event of each key may be leased. */
  readonly isOrdered: boolean;
  ids: string[];
};

/** Without groups or a stop there is nothing to do for `waitMs`, or until an outcome is settled. */
export type Found<Stop extends string> = {
  readonly groups?: readonly Group[];
  readonly stopped?: Stop;
  readonly waitMs?: number;
  /** How many events of a replay may have been started in total. */
  readonly upTo?: number;
  /** A tick leases what is due at this time; undefined for a replay. */
  readonly dueAt?: string;
  /** A replay sends its events to another target than their own. */
  readonly isRedirected?: boolean;
};

/** Why a group gets nothing, for now or until an operator releases its target. */
export type Closed = 'target down' | 'target held' | 'cause fails';

/** `limit`: its target takes no more for now. */
export type Wait = { readonly ms: number; readonly of: Closed | 'limit' };

/** The result of a pick. `missed` events were locked, or have changed. */
export type Taken = {
  readonly leased: number;
  readonly missed: number;
  /** Groups that get nothing for now: their events wait for another time. */
  readonly closed: ReadonlyMap<Group, Closed>;
};

/** Between two passes while events are in flight: in ms, and as a multiple of the time of a pass. */
const minPassMs = 1000;
const restFactor = 20;

/** Opens a pass: a picker looks once at all that may go. Passes follow until one finds nothing. */
export function openPass() {
  return {
    startedAt: performance.now(),
    /** The time that its statements took. */
    busyMs: 0,
    /** Events found that could go, or that another pass has to look at. */
    gained: 0,
    missed: 0,
  };
}

export type Pass = ReturnType<typeof openPass>;

export function restOf({ startedAt, busyMs }: Pass, minMs = minPassMs): number {
  return Math.max(0, startedAt + Math.max(minMs, restFactor * busyMs) - performance.now());
}

/** An event that comes after a delivered one in the order of its key. */
export type Successor = Origin & {
  readonly id: string;
  readonly lane: string;
  readonly priority: number;
  readonly cause: Cause | null;
};

/** Finds the events after `delivered` ones that may go now, by `rules` of lanes. */
export const findSuccessors = statement<
  { delivered: readonly string[]; dueAt: string; rules: string },
  Successor
>('find-successors');

/** The right to deliver events until `endsAt`, in ms since the epoch. */
export type Lease = { readonly token: string; readonly endsAt: number };

/** A leased event with the facts of its group. */
export type Leased = Pick<Group, 'route' | 'cause' | 'kind'> & {
  readonly event: ClaimedEvent;
  readonly lease: Lease;
  /** By the clock of the database, in seconds since the epoch. */
  readonly leasedAt: number;
  /** Its state before the lease. */
  readonly before: { readonly status: Status; readonly processedAt: string | null };
  /** A replay sends it to another target than its own. */
  readonly isRedirected: boolean;
  /** Two workers disappeared while they delivered it: delivered alone, it harms no other event. */
  readonly isSuspect: boolean;
};
