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

/**
 * The time between two passes while events are in flight, in ms, and at least as a multiple of the time of a
 * pass.
 */
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

/** How long to wait for the next pass while events are in flight, in ms. */
export function restOf({ startedAt, busyMs }: Pass): number {
  return Math.max(0, startedAt + Math.max(minPassMs, restFactor * busyMs) - performance.now());
}
