import type { Status } from '../events/event.ts';
import type { ClaimedEvent, Message } from './leased-event.ts';
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
  readonly route: Route;
  readonly before: { readonly status: Status; readonly processedAt: string | null };
  /** How a replay changes it. */
  readonly edit?: Edit | undefined;
  /**
   * Two workers disappeared while they delivered it: it is delivered alone, so that it harms no other event.
   */
  readonly isSuspect: boolean;
};

/** The terms of a replay that sends something else than the captured message, or sends it elsewhere. */
export type Edit = {
  /** The body differs from the event's own: its digest is recorded. */
  readonly isEdited: boolean;
  /**
   * Returns the body with the run's patch applied, or why the patch does not apply: then the event is
   * skipped.
   */
  readonly patch?:
    | ((message: Message) => { readonly body: Buffer } | { readonly reason: string })
    | undefined;
};
