import type { Database } from '../../shared/database.ts';
import type { HeaderValue } from '../../shared/events.ts';
import { toFailure } from '../../shared/fingerprint/failure-row.ts';
import { fingerprint } from '../../shared/fingerprint/fingerprint.ts';
import { statement } from '../../shared/sql.ts';
import { toStorableText } from '../../shared/storable-text.ts';
import { toHeaderValue } from './header-value.ts';
import { mergeCaptures } from './merge-captures.ts';
import type { Capture } from './message.ts';
import { type Payload, viewAsText, viewPayload } from './payload.ts';

/** `maxReturns`: how often an event may fail at its consumer before only people take it up again. */
export type StoreDeps = { readonly db: Database; readonly maxReturns: number };

/** A stored event: its row, and whether this capture made it. */
export type Stored = { readonly id: string; readonly event_key: string; readonly is_new: boolean };

const captureEvents = statement<{ captures: string; maxReturns: number }, Stored>('capture-events');

/** Stores captures, each once, in one statement and so all or none. Returns after the commit, in any order. */
export async function storeCaptures(
  { db, maxReturns }: StoreDeps,
  captures: readonly Capture[],
): Promise<Stored[]> {
  const unique = mergeCaptures(captures);
  try {
    return await captureEvents(db, { captures: toJson(unique, viewPayload), maxReturns });
  } catch (error) {
    if (!isDataError(error)) throw error;
    return captureEvents(db, { captures: toJson(unique, viewSafely), maxReturns });
  }
}

function toJson(captures: readonly Capture[], view: (capture: Capture) => Payload): string {
  return JSON.stringify(captures.map((capture) => toRow(capture, view(capture))));
}

function toRow(capture: Capture, payload: Payload) {
  const facts = storable({
    redelivered_id: capture.redeliveredId,
    carrier_id: capture.carrierId,
    event_key: capture.eventKey,
    event_type: capture.eventType,
    event_id: capture.eventId,
    content_type: capture.contentType,
    headers: exactHeaders(capture.headers),
    error_reason: capture.errorReason,
    error_stacktrace: capture.errorStacktrace,
    error_class: capture.errorClass,
    source_kind: capture.sourceKind,
    source_topic: capture.sourceTopic,
    source_partition: capture.sourcePartition,
    source_offset: capture.sourceOffset,
    source_key: capture.sourceKey,
    source_subscription: capture.sourceSubscription,
    consumer_group: capture.consumerGroup,
    source_attempts: capture.sourceAttempts,
    trace_id: capture.traceId,
    occurred_at: capture.occurredAt,
    metadata: capture.metadata,
  });
  const body = capture.body.toString('base64');
  const failure = toFailure({ ...facts, consumer: facts.source_subscription ?? facts.consumer_group });
  const named = { ...facts, fingerprint: fingerprint(failure) };
  return { ...named, body, payload: payload.json, payload_encoding: payload.encoding };
}

/** A value with U+0000, which PostgreSQL cannot hold as text, is kept as bytes. */
function exactHeaders(headers: Capture['headers']): Record<string, HeaderValue> {
  const exact = (value: HeaderValue): HeaderValue => {
    if (Array.isArray(value)) return value.map((each) => exact(each) as string);
    return typeof value === 'string' && value.includes('\0') ? toHeaderValue(Buffer.from(value)) : value;
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, exact(value)]));
}

/** JSON that PostgreSQL refused, for a number or a depth past its limits, is kept as text. */
function viewSafely(capture: Capture): Payload {
  const payload = viewPayload(capture);
  return payload.encoding === 'json' ? viewAsText(capture.body.toString('utf8')) : payload;
}

/** Class 22: data exception. 54001: nested deeper than the server's stack. */
function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|54)/.test(String(error.code));
}

/** Every text in a row, however deep, as PostgreSQL can hold it. */
function storable<T>(value: T): T {
  if (typeof value === 'string') return toStorableText(value) as T;
  if (Array.isArray(value)) return value.map(storable) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [toStorableText(name), storable(each)]),
  ) as T;
}
