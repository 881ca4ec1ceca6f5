import type { Status } from '../message/event.ts';
import type { Cause } from './cause.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { Route } from './routes.ts';

/**
 * The time-limited right to deliver the events that were leased with `token`. `endsAt` is in ms since the
 * epoch.
 */
export type Lease = { readonly token: string; readonly endsAt: number };

/** A leased event, its route, and how it was before. */
export type Leased = {
  readonly event: ClaimedEvent;
  readonly lease: Lease;
  /** By the clock of the database, in seconds since the epoch. */
  readonly leasedAt: number;
  readonly route: Route;
  /** The cause of its failure at its target before, and its kind, as its group has them. */
  readonly cause: Cause | null;
  readonly kind: string;
  readonly sampleOf: Cause | null;
  readonly before: { readonly status: Status; readonly processedAt: string | null };
  /** A replay sends it to another target than its own. */
  readonly isRedirected: boolean;
  /**
   * Two workers disappeared while they delivered it: it is delivered alone, so that it harms no other event.
   */
  readonly isSuspect: boolean;
};
