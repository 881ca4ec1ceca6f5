import { toStorableText } from '../database/storable-text.ts';
import { fingerprintReason } from '../fingerprint/fingerprint.ts';
import { crowdOf } from '../fingerprint/new-reasons.ts';
import type { Status } from '../message/event.ts';
import type { Cause } from './cause.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { Lease, Leased } from './picker.ts';
import { decideNextState } from './policy/next-state.ts';
import type { attemptOutcomes, failureKinds, Meaning, Outcome } from './targets/outcome.ts';

/** A field without a value, or with null, leaves its column of the event unchanged. */
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
  readonly failureKind?: (typeof failureKinds)[number] | null;
  /** It costs a retry. */
  readonly isFailed: boolean;
  /** The outcome of the attempt; without one nothing was sent. */
  readonly outcome?: (typeof attemptOutcomes)[number] | null;
  readonly target?: string;
  readonly startedAt?: Date;
  readonly durationMs?: number;
  readonly responseStatus?: number | undefined;
  readonly responseBody?: string | undefined;
  readonly answer?: string | null;
  /** The fingerprint of the answer, which is the reason of an event without one. */
  readonly fingerprint?: string | null;
  /** The stand-in for it in a flood of new answers. */
  readonly crowd?: string | null;
  /** The cause of the event at its target after the delivery; null if it says nothing. */
  readonly cause?: Cause | null;
  /** It was closed: why it failed then does not hold it back now. */
  readonly opens?: boolean;
  readonly runOutcome: 'waiting' | 'delivered' | 'failed';
  readonly runReason?: string | null;
};

export type Delivered = Pick<Leased, 'event' | 'lease' | 'route'> & { readonly settlement: Settlement };

/** `isSettled`: false if the lease was lost before the settlement, so that nothing was changed. */
export type Settled = Delivered & { readonly isSettled: boolean };

/**
 * `cause`: null if the failure is not about the event. `isAlike`: it was refused as a dozen others, such as by
 * a deployment, and waits with its cause.
 */
export type Knowledge = {
  readonly meaning: Meaning;
  readonly cause: Cause | null;
  readonly isAlike?: boolean;
};

/** After a `limit` the event goes on as soon as its target takes more. */
export type Sent = Partial<Knowledge> & {
  readonly leased: Leased;
  readonly outcome: Outcome;
  readonly startedAt: Date;
  readonly durationMs: number;
};

type Known = {
  readonly event: Pick<ClaimedEvent, 'id' | 'failureCount'>;
  readonly lease: Pick<Lease, 'token'>;
  readonly before: Leased['before'];
};

/** Returns an event to its state before the lease, which costs no retry. */
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

/** What failed at another target than its own, or was delivered before, does not become undelivered. */
export function settlementOf(sent: Sent, maxRetries: number): Settlement {
  const { leased, outcome, startedAt, durationMs, cause = null, meaning, isAlike } = sent;
  const { event, isRedirected, before, route, target } = leased;
  const terms = { policy: route.policy, maxRetries, random: Math.random };
  const transient = { ...outcome, kind: 'transient' as const };
  const next = decideNextState(event, isAlike ? transient : outcome, terms);
  // A consumer may report the failure of what its target accepted.
  const failed = decideNextState(event, transient, terms);
  const isDelivered = outcome.kind === 'delivered';
  const answer = outcome.error === undefined ? null : toStorableText(outcome.error, 500);
  const isRestored = next.status !== 'SUCCEEDED' && (isRedirected || before.status === 'SUCCEEDED');
  const isWaiting = meaning === 'limit' && next.status === 'PENDING';
  return {
    ...release(leased),
    ...(!isRestored && {
      status: next.status,
      processedAt: null,
      failureKind: isDelivered ? null : outcome.kind,
      retryInSeconds: isWaiting ? null : (next.retryInSeconds ?? failed.retryInSeconds),
      cause,
      opens: before.status !== 'PENDING',
      ...(answer !== null && groupOf(event, answer)),
    }),
    failedStatus: failed.status,
    isFailed: !isDelivered && !isRestored,
    ...(!isWaiting && progressOf(sent)),
    outcome: outcome.kind,
    target,
    startedAt,
    durationMs,
    responseStatus: outcome.responseStatus,
    responseBody: outcome.responseBody,
    answer,
  };
}

function groupOf({ eventType, consumerGroup: consumer }: Leased['event'], answer: string) {
  const fingerprint = fingerprintReason(answer);
  return { fingerprint, crowd: crowdOf({ eventType, consumer }, fingerprint) };
}

/** The record of a replay: its gate tells apart what is about the target. */
function progressOf({ outcome: { kind }, meaning }: Sent): Pick<Settlement, 'runOutcome' | 'runReason'> {
  if (kind === 'delivered') return { runOutcome: 'delivered', runReason: null };
  return { runOutcome: 'failed', runReason: meaning === 'target' ? 'target' : kind };
}
