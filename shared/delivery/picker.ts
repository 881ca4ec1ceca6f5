import type { Cause } from './cause.ts';
import type { Route } from './routes.ts';

/** Picked events that are dealt out in turn: those of one lane and priority, or of one route. */
export type Group = {
  /** A lower one goes first. */
  readonly priority: number;
  readonly route: Route;
  readonly target: string;
  /** The cause of their failure there, or that it accepted them; null if they were not tried there. */
  readonly cause: Cause | null;
  /** Events of one kind are alike. */
  readonly kind: string;
  /** The cause of their failure, if samples of it go first; null if all may go at once. */
  readonly sampleOf: Cause | null;
  /** Whether only the first event of each key may be leased. */
  readonly isOrdered: boolean;
  /** Events that may go, the next one first. */
  ids: string[];
};

/** The capacity that a worker has left, as a picker sees it. */
export type Room = {
  /** Whether every leased event has been delivered and settled. */
  isEmpty(): boolean;
  /** Whether more events of a route can be leased: none is queued for it. */
  has(route: Route): boolean;
  /** Until when the events of a route wait, by `performance.now()`, or 0: its target seems down. */
  downUntil(route: Route): number;
  /** The same if its target takes no more for now. */
  pausedUntil(route: Route): number;
  /** Whether the samples of a group fail in this run: the rest of it would only fail again. */
  isFailing(group: Group): boolean;
  /**
   * How many events of these routes together one lease may take: as many as their targets lately accepted.
   */
  sizeFor(routes: readonly Route[]): number;
};

/**
 * A find of a picker. Without groups or a stop there is nothing to do for `waitMs`, or until an outcome is
 * settled.
 */
export type Found<Stop extends string> = {
  readonly groups?: readonly Group[];
  readonly stopped?: Stop;
  readonly waitMs?: number;
  /** How many events of a replay may have been started in total. */
  readonly upTo?: number;
};

/**
 * For how long a group gets nothing. `isLimit`: its target takes no more for now; else it is down, or the
 * cause of the group fails by itself.
 */
export type Wait = { readonly ms: number; readonly isLimit: boolean };

/** The result of a pick. `missed` events were locked, or have changed. */
export type Taken = {
  readonly leased: number;
  readonly missed: number;
  /** Groups that get nothing for now: their events wait for another time. */
  readonly down: ReadonlySet<Group>;
};

/** Finds the events that a worker delivers: the due events of a tick, or the selection of a replay. */
export type Picker<Stop extends string> = {
  /** Looks for events that may go. Throws DatabaseUnavailableError. */
  find(room: Room): Promise<Found<Stop>>;
  /**
   * Takes up to `wanted` events from the limit of the run as a whole; a negative number returns unused ones.
   */
  take(wanted: number): Promise<number>;
  /** Whether a group is to be offered again after a wait: else its events wait for another time. */
  waitsFor(group: Group, wait: Wait): boolean;
  /** Learns what became of the groups that it found. */
  learn(taken: Taken): void;
  /** Learns that the first events of some keys were delivered: those after them may go. */
  follow(delivered: readonly string[]): void;
  /** A tick leases what is due at this time; undefined for a replay. */
  dueAt(): string | undefined;
  /** Whether a replay sends its events to another target than their own. */
  isRedirected(): boolean;
  readonly obeysBreakers: boolean;
  readonly obeysHolds: boolean;
};
