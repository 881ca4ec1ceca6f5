import { createHash } from 'node:crypto';
import { toStorableText } from '../database/storable-text.ts';
import type { Status } from '../events/event.ts';
import { fingerprintReason } from '../groups/fingerprint/fingerprint.ts';
import type { Claimed, Lease } from './claim.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { NextState } from './policy/next-state.ts';
import type { Outcome } from './targets/outcome.ts';

/** The record of one claimed event. A field without a value, or with null, leaves its column of the event unchanged. */
export type Settlement = {
  readonly id: string;
  readonly leaseToken: string;
  readonly status: Status;
  readonly isFailure: boolean;
  readonly retryInSeconds?: number | null;
  /** The times to which a replay restores the event. */
  readonly retryAfter?: string | null;
  readonly processedAt?: string | null;
  readonly failureKind?: 'transient' | 'permanent' | 'ambiguous' | null;
  /** The outcome of the attempt; without one no attempt is written. */
  readonly outcome?: Outcome['kind'] | null;
  readonly target?: string;
  readonly startedAt?: Date;
  readonly durationMs?: number;
  readonly responseStatus?: number | undefined;
  readonly responseBody?: string | undefined;
  readonly error?: string | null;
  /** The fingerprint of the error. */
  readonly fingerprint?: string | null;
  /** Why a replay skips the event. */
  readonly skipReason?: string | null;
  readonly skipDetail?: string | null;
  /** SHA-256 in base64 of the edited body that a replay sent. */
  readonly sentDigest?: string | null;
};

/** A claimed event with its settlement. */
export type Delivered = {
  readonly event: ClaimedEvent;
  readonly settlement: Settlement;
  readonly lease: Lease;
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
  /** The body as it was sent. */
  readonly body?: Buffer;
};

/** Returns an event to its state before the claim. It costs no retry. */
export function release({ event, replay }: Claimed, lease: Lease): Settlement {
  return {
    id: event.id,
    leaseToken: lease.token,
    status: replay?.before.status ?? 'PENDING',
    isFailure: false,
    retryAfter: replay?.before.retryAfter ?? null,
    processedAt: replay?.before.processedAt ?? null,
  };
}

/** Releases an event to which the patch of its replay does not apply. */
export function skip(claimed: Claimed, lease: Lease, detail: string): Settlement {
  return { ...release(claimed, lease), skipReason: 'patch', skipDetail: toStorableText(detail, 500) };
}

/** Records a delivery. If an edited or redirected replay fails, the event is restored. */
export function settlementOf(claimed: Claimed, lease: Lease, delivery: Delivery): Settlement {
  const { replay } = claimed;
  const { outcome, next, body, ...attempt } = delivery;
  const error = outcome.error === undefined ? null : toStorableText(outcome.error, 500);
  const isRestored = next.isFailure && replay?.restoresOnFailure === true;
  const edited = replay?.isEdited ? body : undefined;
  return {
    ...release(claimed, lease),
    ...(!isRestored && { ...next, retryAfter: null, processedAt: null }),
    ...(!isRestored && outcome.kind !== 'delivered' && { failureKind: outcome.kind }),
    ...attempt,
    outcome: outcome.kind,
    responseStatus: outcome.responseStatus,
    responseBody: outcome.responseBody,
    error,
    // The error of a delivered event says what was omitted.
    fingerprint: error === null || !next.isFailure ? null : fingerprintReason(error),
    sentDigest: edited ? createHash('sha256').update(edited).digest('base64') : null,
  };
}
