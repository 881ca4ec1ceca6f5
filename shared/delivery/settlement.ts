import { toStorableText } from '../database/storable-text.ts';
import type { Status } from '../events/event.ts';
import { fingerprintReason } from '../groups/fingerprint/fingerprint.ts';
import type { Lease, Leased } from './leased.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { NextState } from './policy/next-state.ts';
import type { Route } from './routes.ts';
import type { Outcome } from './targets/outcome.ts';

type RunOutcome = 'waiting' | 'delivered' | 'failed' | 'skipped';

/**
 * The record of one leased event. A field without a value, or with null, leaves its column of the event
 * unchanged.
 */
export type Settlement = {
  readonly id: string;
  readonly leaseToken: string;
  /** The count at the lease: a higher one in the database means that the event was captured again. */
  readonly failureCount: number;
  readonly status: Status;
  /** The status if its consumer has reported the failure of what was delivered. */
  readonly failedStatus: Status;
  /** When the event was closed before, if it returns to that state. */
  readonly processedAt?: string | null;
  readonly retryInSeconds?: number | null;
  readonly failureKind?: 'transient' | 'permanent' | 'ambiguous' | null;
  /** The delivery failed, which costs a retry. */
  readonly isFailed: boolean;
  /** The outcome of the attempt; without one nothing was sent. */
  readonly outcome?: Outcome['kind'] | 'lost' | null;
  readonly target?: string;
  readonly startedAt?: Date;
  readonly durationMs?: number;
  readonly responseStatus?: number | undefined;
  readonly responseBody?: string | undefined;
  /** What the target answered. */
  readonly answer?: string | null;
  /** The fingerprint of the answer, which is the reason of an event without one. */
  readonly fingerprint?: string | null;
  /** What its replay records, with the reason as a code. */
  readonly runOutcome: RunOutcome;
  readonly runReason?: string | null;
};

/** A leased event with its settlement. */
export type Delivered = {
  readonly event: ClaimedEvent;
  readonly settlement: Settlement;
  readonly lease: Lease;
  readonly route: Route;
};

export type Settled = {
  readonly event: ClaimedEvent;
  readonly settlement: Settlement;
  /** False if the lease was lost before the settlement: nothing was changed. */
  readonly isSettled: boolean;
};

/** One delivery, and the next state of its event. */
export type Delivery = {
  readonly outcome: Outcome;
  readonly target: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly next: NextState;
  /** The state if its consumer reports a failure. */
  readonly failed: NextState;
};

/** What a settlement knows of a leased event. */
type Known = {
  readonly event: Pick<ClaimedEvent, 'id' | 'failureCount'>;
  readonly lease: Pick<Lease, 'token'>;
  readonly before: Leased['before'];
};

/** Returns an event to its state before the lease. It costs no retry. */
export function release({ event, lease, before }: Known): Settlement {
  return {
    id: event.id,
    leaseToken: lease.token,
    failureCount: event.failureCount,
    status: before.status,
    failedStatus: 'PENDING',
    processedAt: before.processedAt,
    isFailed: false,
    runOutcome: 'waiting',
  };
}

/**
 * Records a delivery. An event returns to its state if it failed at another target than its own, or if it had
 * been delivered before: it does not become undelivered.
 */
export function settlementOf(leased: Leased, delivery: Delivery): Settlement {
  const { isRedirected, before } = leased;
  const { outcome, next, failed, ...attempt } = delivery;
  const answer = outcome.error === undefined ? null : toStorableText(outcome.error, 500);
  const isRestored = next.status !== 'SUCCEEDED' && (isRedirected || before.status === 'SUCCEEDED');
  return {
    ...release(leased),
    ...(!isRestored && {
      status: next.status,
      processedAt: null,
      failureKind: outcome.kind === 'delivered' ? null : outcome.kind,
      retryInSeconds: next.retryInSeconds ?? failed.retryInSeconds,
      fingerprint: answer === null ? null : fingerprintReason(answer),
    }),
    failedStatus: failed.status,
    isFailed: outcome.kind !== 'delivered' && !isRestored,
    runOutcome: outcome.kind === 'delivered' ? 'delivered' : 'failed',
    runReason: outcome.kind === 'delivered' ? null : outcome.kind,
    ...attempt,
    outcome: outcome.kind,
    responseStatus: outcome.responseStatus,
    responseBody: outcome.responseBody,
    answer,
  };
}
