import { toText } from './column-values.ts';
import { unwrapConnectHeaders } from './connect-text.ts';
import { firstText, firstValue, type Headers } from './header-values.ts';
import { findApplicationId, keyFromId, toPublication } from './identity.ts';
import { type KafkaPosition, keyFromPosition, readRecord } from './kafka-record.ts';
import type { Facts, Message } from './message.ts';
import { findTraceId } from './trace-id.ts';

/** The facts that a dead-letter format reports about a record that failed at `position`. */
export type KafkaFailure = {
  readonly kind: string;
  readonly position: KafkaPosition;
  readonly consumerGroup?: string | null;
  readonly attempts?: number | null;
  readonly occurredAt?: Date | null;
  readonly errorClass?: string | null;
  readonly reason?: string | null;
  readonly stacktrace?: string | null;
};

/**
 * All facts of a failed Kafka record. Without a reported position, the position of the record as received stands in;
 * facts that the format does not report are those of the transport.
 */
export function describeKafkaFailure(message: Message, failure: KafkaFailure): Partial<Facts> {
  const { facts } = message;
  const headers = unwrapConnectHeaders(message.headers);
  const { position: received, key, writtenAt } = readRecord(message);
  const position = failure.position.topic === null ? received : failure.position;
  const consumerGroup = failure.consumerGroup ?? facts.consumerGroup ?? null;
  const { eventId, headerKey } = identify(headers);
  const eventKey =
    headerKey ?? keyFromPosition(failure.position) ?? keyFromPosition(received) ?? facts.eventKey;
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId,
    ...describePublication(failure, writtenAt),
    deliveryId: keyFromPosition(received) ?? facts.deliveryId ?? null,
    eventType: findEventType(headers, facts) ?? position.topic ?? 'unknown',
    errorReason: failure.reason ?? facts.errorReason ?? null,
    errorStacktrace: failure.stacktrace ?? facts.errorStacktrace ?? null,
    errorClass: failure.errorClass ?? facts.errorClass ?? null,
    sourceKind: failure.kind,
    sourceTopic: position.topic,
    sourcePartition: position.partition,
    sourceOffset: position.offset,
    sourceKey: key,
    sourceSubscription: position.topic === null ? (facts.sourceSubscription ?? null) : null,
    consumerGroup,
    sourceAttempts: failure.attempts ?? facts.sourceAttempts ?? null,
    traceId: findRecordTraceId(headers) ?? facts.traceId ?? null,
    occurredAt: failure.occurredAt ?? null,
  };
}

/** The time of the dead letter is when it was given up, unless it keeps that of the original. */
function describePublication({ position, occurredAt = null }: KafkaFailure, writtenAt: Date | null) {
  const coordinates = keyFromPosition(position);
  if (coordinates === undefined) return {};
  const isLater = writtenAt !== null && occurredAt !== null && writtenAt > occurredAt;
  return { publication: toPublication(occurredAt, coordinates), failedAt: isLater ? writtenAt : null };
}

/** The ids that survive a replay come first: the application's, then the CloudEvent's. */
function identify(headers: Headers) {
  const recordId = findApplicationId(headers) ?? findOutboxId(headers);
  if (recordId !== null) return { eventId: recordId, headerKey: keyFromId(recordId) };
  const eventId = readRecordAttribute(headers, 'id');
  const source = readRecordAttribute(headers, 'source');
  const headerKey = eventId && source ? `ce:${source}#${eventId}` : undefined;
  return { eventId, headerKey };
}

/**
 * An attribute of a CloudEvent in a Kafka record, or null. Kafka's binding has the prefix `ce_`; an event in structured
 * mode that came through Pub/Sub has `ce-`.
 */
export function readRecordAttribute(headers: Headers, name: string): string | null {
  return toText(firstValue(headers[`ce_${name}`])) ?? toText(firstValue(headers[`ce-${name}`]));
}

/**
 * The header in which Debezium's outbox router writes an event's id. Other producers use the same name: only a UUID is
 * certain to be unique.
 * https://debezium.io/documentation/reference/stable/transformations/outbox-event-router.html
 */
function findOutboxId(headers: Headers): string | null {
  const id = toText(firstValue(headers.id));
  return id !== null && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id : null;
}

/** `__TypeId__` is Spring's header for the class, in lower case after a hop over HTTP. */
function findEventType(headers: Headers, facts: Message['facts']): string | null {
  const names = ['event_type', 'eventType', '__TypeId__', '__typeid__'];
  const types = [readRecordAttribute(headers, 'type'), ...names.map((name) => firstText(headers[name]))];
  const reported = facts.eventType === 'unknown' ? null : facts.eventType;
  return types.find((type) => type !== null) ?? reported ?? null;
}

function findRecordTraceId(headers: Headers): string | null {
  const own = ['googclient_traceparent', 'traceparent'].map((name) => firstText(headers[name]));
  return findTraceId(...own, readRecordAttribute(headers, 'traceparent'));
}
