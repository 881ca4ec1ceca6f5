import type { Origin } from './routes.ts';
import { statement } from './sql.ts';

export type Status = 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED_PERMANENTLY' | 'DISCARDED';

/** A header's value: text, bytes that were no UTF-8, or several of these where the name was repeated. */
export type HeaderValue =
  | string
  | { readonly base64: string }
  | readonly (string | { readonly base64: string })[];

/** An event as a worker holds it under a lease. Ids are opaque text: a bigint does not fit into a number. */
export type LeasedEvent = Origin & {
  readonly id: string;
  readonly event_key: string;
  readonly body: Buffer | null;
  readonly payload_text: string | null;
  readonly payload_encoding: 'json' | 'text' | 'base64' | 'none';
  readonly content_type: string | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly source_key: string | null;
  /** The exact key, where the text is only made of it. */
  readonly source_key_bytes: Buffer | null;
  readonly trace_id: string | null;
  readonly retry_count: number;
  readonly max_retries: number | null;
  readonly failure_count: number;
  readonly status: Status;
  /** Its last worker disappeared with it. That cost a retry; if it was the last, the event is not leased. */
  readonly was_lost: boolean;
};

/** One outcome to record. Nulls leave the column as it is; without `outcome` no attempt is written. */
export type Settlement = {
  readonly id: string;
  readonly lease_token: string;
  /** As it was at the claim: it shows whether the event was captured again meanwhile. */
  readonly failure_count: number;
  readonly status: Status;
  readonly is_failure: boolean;
  readonly retry_in_seconds: number | null;
  readonly outcome: 'delivered' | 'transient' | 'permanent' | 'ambiguous' | null;
  readonly failure_kind: 'transient' | 'permanent' | 'ambiguous' | null;
  readonly target: string | null;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
  /** An event that a replay holds is to be again what it was before. */
  readonly goes_back: boolean;
  /** Why a replay leaves the event out after all. */
  readonly skip_reason: string | null;
  readonly skip_detail: string | null;
  /** SHA-256 in base64 of a body that was edited, where one was sent. */
  readonly sent_digest: string | null;
  /** Of the error, for an event whose reason nobody had told. */
  readonly fingerprint: string | null;
};

export const claimEvents = statement<
  { runId: string; lanes: string; limit: number; dueAt: string; leaseToken: string; leaseSeconds: number },
  LeasedEvent
>('claim-events');

/** Returns the ids that were settled; those that are missing had lost their lease. */
export const settleEvents = statement<
  { runId: string; settlements: string; reports: string; maxReturns: number },
  { readonly id: string }
>('settle-events');

export const findEvents = statement<
  { ids: readonly string[] },
  Origin & Pick<LeasedEvent, 'id' | 'status' | 'payload_encoding'> & { readonly is_leased: boolean }
>('find-events');

/** Every lane with open events. */
export const listLanes = statement<
  Record<string, never>,
  Origin & { readonly lane: string; readonly has_key: boolean }
>('list-lanes');

/** A row for each lane; `after` is the last key that was looked at, `is_end` says that there is none behind it. */
export const findHeads = statement<
  { lanes: string; dueAt: string; most: number; limit: number },
  {
    readonly lane: string;
    readonly ids: readonly string[];
    readonly is_end: boolean;
    readonly after: string | null;
  }
>('find-heads');

export const countOpenEvents = statement<{ lanes: readonly string[] }, { readonly events: number }>(
  'count-open-events',
);

export const hasDueEvents = statement<
  { lanes: readonly string[]; dueAt: string },
  { readonly has_due: boolean }
>('has-due-events');
