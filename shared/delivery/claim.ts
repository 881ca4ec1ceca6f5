import type { Status } from '../events/event.ts';
import type { ClaimedEvent, Message } from './leased-event.ts';
import type { Route } from './routes.ts';

/** The time-limited right to deliver the events that were claimed with `token`. `endsAt` is in ms since the epoch. */
export type Lease = { readonly token: string; readonly endsAt: number };

/** A claimed event and how it is delivered. */
export type Claimed = {
  readonly event: ClaimedEvent;
  /** Undefined if no route matches any more: the event is released. */
  readonly route: Route | undefined;
  readonly replay?: ReplayTerms;
  /** Two workers disappeared while they delivered it: it is delivered alone, so that it harms no other event. */
  readonly isSuspect?: true;
};

/** How the delivery of a replayed event differs from a scheduled one. */
type ReplayTerms = {
  /** The event as it was before the run claimed it. Times are text: a Date loses the microseconds. */
  readonly before: {
    readonly status: Status;
    readonly retryAfter: string | null;
    readonly processedAt: string | null;
  };
  /** The body differs from the event's own: its digest is recorded. */
  readonly isEdited: boolean;
  /** Returns the body with the run's patch applied, or why the patch does not apply: then the event is skipped. */
  readonly patch?: (message: Message) => { readonly body: Buffer } | { readonly reason: string };
  /** A failure restores the event: the schedule would continue with the original message and target. */
  readonly restoresOnFailure: boolean;
};

/** The answer of a source to one claim of the worker loop. */
export type Claim<Stop> = {
  readonly claimed: readonly Claimed[];
  readonly lease: Lease;
  /** Why the worker stops; undefined while the source may have more events. */
  readonly stopped?: Stop;
  /** Milliseconds until the next claim. 0: at once. Undefined: after the next settled outcome. */
  readonly waitMs?: number | undefined;
  /** Events that were claimed with an expired lease after they had been sent, and how many of them had no retry left. */
  readonly lost?: { readonly events: number; readonly failedPermanently: number };
  /** More than half of what a claim may take was due: one more worker would find enough to do. */
  readonly needsHelp?: boolean;
};

/** The capacity that a worker has left, as a source sees it. */
export type Room = {
  /** Whether every claimed event has been delivered and settled. */
  isEmpty(): boolean;
  /** Whether more events of a route can be claimed: none is queued for it, and its target seems up. */
  has(route: Route): boolean;
  /** How many events of these routes together one claim may take: as many as their targets lately accepted. */
  sizeFor(routes: readonly Route[]): number;
};

/** The source of a worker's events: the due events of a tick, or the selection of a replay. */
export type ClaimSource<Stop extends string> = {
  /** Claims the next batch, within the room that the worker has left. Throws DatabaseUnavailableError. */
  claim(room: Room): Promise<Claim<Stop>>;
  /** Whether events are released while their target is down. */
  obeysBreakers(): boolean;
};
