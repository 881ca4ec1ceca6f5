import type { Status } from '../message/event.ts';
import type { Cause } from './cause.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { Rate } from './rates.ts';
import type { Route } from './routes.ts';

/** Events that are dealt out in turn: of one lane and priority, or of one route. */
export type EventGroup = {
  /** A lower one goes first. */
  readonly priority: number;
  readonly route: Route;
  readonly target: string;
  /** The cause of their failure there; null if they were not tried there, or accepted. */
  readonly cause: Cause | null;
  readonly kind: string;
  /** Of its route and of its run. */
  readonly rates: readonly Rate[];
  /** Whether only the first event of each key may be leased. */
  readonly isOrdered: boolean;
  ids: string[];
  /** Why it gets nothing for now: its events wait for another pass. */
  closed?: Closed;
  /** Where its reading goes on; undefined once all of it is read. */
  readonly after?: object | undefined;
};

/** The limits of a lease. */
export type Terms = {
  /** How many events of a replay may have been started in total. */
  readonly upTo?: number;
  /** A tick leases what is due at this time; undefined for a replay. */
  readonly dueAt?: string;
  /** A replay sends its events to another target than their own. */
  readonly isRedirected?: boolean;
};

/** Without terms or a stop there is nothing to do for `waitMs`, or until an outcome is settled. */
export type Look = { readonly stopped?: Stop; readonly waitMs?: number; readonly terms?: Terms };

/** Why a group gets nothing, for now or until an operator releases its target. */
export type Closed = 'target down' | 'target held' | 'cause fails';

/** `limit`: its target takes no more for now. */
export type Wait = { readonly ms: number; readonly of: Closed | 'limit' };

/** Why a worker ends: by its own state, by that of its tick, or by that of its replay. */
export type Stop =
  | ('time budget spent' | 'shutdown' | 'slot lost')
  | ('nothing due' | 'event limit reached' | 'the schedule is paused')
  | ('ended' | 'paused' | 'not yet' | 'no such run' | 'no route' | Closed);

/** The right to deliver events until `endsAt`, in ms since the epoch. */
export type Lease = { readonly token: string; readonly endsAt: number };

/** A leased event with the facts of its group. */
export type Leased = Pick<EventGroup, 'route' | 'target' | 'cause' | 'kind'> & {
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
