import type { Database } from '../../shared/database.ts';
import type { HeaderValue } from '../../shared/events.ts';
import { fingerprint } from '../../shared/fingerprint/fingerprint.ts';
import { statement } from '../../shared/sql.ts';
import { toStorableText } from '../../shared/storable-text.ts';
import { findRefused, isDataError } from './find-refused.ts';
import { toHeaderValue } from './header-value.ts';
import { mergeCaptures } from './merge-captures.ts';
import type { Capture } from './message.ts';
import { type Payload, replaceUnstorable, viewAsText, viewPayload } from './payload.ts';

/** `maxReturns`: how often an event may fail at its consumer before only people take it up again. */
export type StoreDeps = { readonly db: Database; readonly maxReturns: number };

/** What became of a capture: the row of its event, the event key that the capture has, and whether it made the row. */
export type Stored = { readonly id: string; readonly event_key: string; readonly is_new: boolean };

const captureEvents = statement<{ captures: string; maxReturns: number }, Stored>('capture-events');

/**
 * Stores captures, each once, in one statement and so all or none. JSON that PostgreSQL cannot hold is kept as text.
 * Returns after the commit, in any order.
 */
export async function storeCaptures(
  { db, maxReturns }: StoreDeps,
  captures: readonly Capture[],
): Promise<Stored[]> {
  const unique = mergeCaptures(captures);
  try {
    return match(unique, await captureEvents(db, { captures: toJson(unique), maxReturns }));
  } catch (error) {
    const refused = isDataError(error) ? await findRefused(db, unique) : [];
    if (refused.length === 0) throw error;
    return match(unique, await captureEvents(db, { captures: toJson(unique, refused), maxReturns }));
  }
}

/** A redelivery that failed again is in the row that it came from, whatever event key it has now. */
function match(captures: readonly Capture[], events: readonly Stored[]): Stored[] {
  const byKey = new Map(events.map((event) => [event.event_key, event]));
  return captures.flatMap(({ eventKey, redeliveredId }) => {
    const event = byKey.get(eventKey) ?? events.find(({ id }) => BigInt(id) === BigInt(redeliveredId ?? -1));
    return event ? [{ ...event, event_key: eventKey }] : [];
  });
}

function toJson(captures: readonly Capture[], refused: readonly Capture[] = []): string {
  const view = (capture: Capture) =>
    refused.includes(capture) ? viewAsText(capture.body.toString('utf8')) : viewPayload(capture);
  return `[${captures.map((capture) => toRow(capture, view(capture))).join()}]`;
}

/** What is null is left out, and the message stands there once: all this is sent and parsed for each capture. */
function toRow(capture: Capture, { content, encoding, isExact }: Payload): string {
  const row: Record<string, unknown> = {};
  for (const [column, fact] of columns) {
    if (capture[fact] !== null) row[column] = capture[fact];
  }
  row.fingerprint = takeFingerprint(capture);
  row.headers = exactHeaders(capture.headers);
  row.payload_encoding = encoding;
  row.content = content;
  if (!isExact) row.body = capture.body.toString('base64');
  return replaceUnstorable(JSON.stringify(row));
}

/** Of what is stored, so that it comes out the same when it is taken of the row. */
function takeFingerprint(capture: Capture): string {
  const stored = (text: string | null) => (text === null ? null : toStorableText(text));
  return fingerprint({
    eventType: toStorableText(capture.eventType),
    consumer: stored(capture.sourceSubscription ?? capture.consumerGroup),
    errorClass: stored(capture.errorClass),
    errorReason: stored(capture.errorReason),
    errorStacktrace: stored(capture.errorStacktrace),
  });
}

const columns = Object.entries({
  redelivered_id: 'redeliveredId',
  carrier_id: 'carrierId',
  event_key: 'eventKey',
  event_type: 'eventType',
  event_id: 'eventId',
  content_type: 'contentType',
  error_reason: 'errorReason',
  error_stacktrace: 'errorStacktrace',
  error_class: 'errorClass',
  source_kind: 'sourceKind',
  source_topic: 'sourceTopic',
  source_partition: 'sourcePartition',
  source_offset: 'sourceOffset',
  source_key: 'sourceKey',
  source_key_bytes: 'sourceKeyBase64',
  source_subscription: 'sourceSubscription',
  consumer_group: 'consumerGroup',
  source_attempts: 'sourceAttempts',
  trace_id: 'traceId',
  occurred_at: 'occurredAt',
  metadata: 'metadata',
} as const satisfies Record<string, keyof Capture>);

/** A value with U+0000, which PostgreSQL cannot hold as text, is kept as bytes. */
function exactHeaders(headers: Capture['headers']): Capture['headers'] {
  if (Object.values(headers).every(isStorable)) return headers;
  const exact = (value: HeaderValue): HeaderValue => {
    if (Array.isArray(value)) return value.map((each) => exact(each) as string);
    return typeof value !== 'string' || isStorable(value) ? value : toHeaderValue(Buffer.from(value));
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, exact(value)]));
}

function isStorable(value: HeaderValue): boolean {
  return Array.isArray(value) ? value.every(isStorable) : typeof value !== 'string' || !value.includes('\0');
}
