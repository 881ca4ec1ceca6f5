import { firstFact, firstValue, type Headers } from './header-value.ts';
import { findApplicationId, keyFromId, withConsumer } from './identity.ts';
import { keyFromPlace, type Place, readRecord } from './kafka-record.ts';
import type { Facts, Message } from './message.ts';
import { findTraceId, toFact } from './text.ts';

/** What a family tells about a record that failed at `place`. */
export type Failure = {
  readonly kind: string;
  readonly place: Place;
  readonly consumerGroup?: string | null;
  readonly attempts?: number | null;
  readonly occurredAt?: Date | null;
  readonly errorClass?: string | null;
  readonly reason?: string | null;
  readonly stacktrace?: string | null;
};

/**
 * All facts of a Kafka record that failed. Where nothing tells its own place, that at which it reached us stands in,
 * and what the family leaves open may be known from whoever reported it.
 */
export function describeFailure(message: Message, failure: Failure): Partial<Facts> {
  const { headers, facts } = message;
  const { place: reached, key } = readRecord(message);
  const place = failure.place.topic === null ? reached : failure.place;
  const consumerGroup = failure.consumerGroup ?? facts.consumerGroup ?? null;
  const { eventId, headerKey } = identify(headers, consumerGroup);
  const eventKey =
    headerKey ??
    keyFromPlace(failure.place, consumerGroup) ??
    keyFromPlace(reached, consumerGroup) ??
    facts.eventKey;
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId,
    carrierId: keyFromPlace(reached, null) ?? facts.carrierId ?? null,
    eventType: findEventType(message) ?? place.topic ?? 'unknown',
    errorReason: failure.reason ?? facts.errorReason ?? null,
    errorStacktrace: failure.stacktrace ?? facts.errorStacktrace ?? null,
    errorClass: failure.errorClass ?? facts.errorClass ?? null,
    sourceKind: failure.kind,
    sourceTopic: place.topic,
    sourcePartition: place.partition,
    sourceOffset: place.offset,
    sourceKey: key,
    sourceSubscription: place.topic === null ? (facts.sourceSubscription ?? null) : null,
    consumerGroup,
    sourceAttempts: failure.attempts ?? facts.sourceAttempts ?? null,
    traceId: findRecordTraceId(headers) ?? facts.traceId ?? null,
    occurredAt: failure.occurredAt ?? null,
  };
}

/** The upper rungs of the ladder of identities, which outlive a replay: the application's id, then the CloudEvent's. */
function identify(headers: Headers, consumer: string | null) {
  const recordId = findApplicationId(headers) ?? findOutboxId(headers);
  if (recordId !== null) return { eventId: recordId, headerKey: keyFromId(recordId, consumer) };
  const eventId = readCloudEventAttribute(headers, 'id');
  const source = readCloudEventAttribute(headers, 'source');
  const headerKey = eventId && source ? withConsumer(`ce:${source}#${eventId}`, consumer) : undefined;
  return { eventId, headerKey };
}

/** Kafka has `ce_`; a hyphen stands there where an event in structured mode came through Pub/Sub. */
export function readCloudEventAttribute(headers: Headers, name: string): string | null {
  return toFact(firstValue(headers[`ce_${name}`])) ?? toFact(firstValue(headers[`ce-${name}`]));
}

/**
 * The header in which Debezium's outbox router puts the id of an event. Others use that name, too: only a UUID is
 * unique beyond doubt.
 * https://debezium.io/documentation/reference/stable/transformations/outbox-event-router.html
 */
function findOutboxId(headers: Headers): string | null {
  const id = toFact(firstValue(headers.id));
  return id !== null && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id : null;
}

/** `__TypeId__` is Spring's name for the class, in lower case where it came as an HTTP header. */
function findEventType({ headers, facts }: Message): string | null {
  const names = ['event_type', 'eventType', '__TypeId__', '__typeid__'];
  const types = [readCloudEventAttribute(headers, 'type'), ...names.map((name) => firstFact(headers[name]))];
  const reported = facts.eventType === 'unknown' ? null : facts.eventType;
  return types.find((type) => type !== null) ?? reported ?? null;
}

function findRecordTraceId(headers: Headers): string | null {
  const own = ['googclient_traceparent', 'traceparent'].map((name) => firstFact(headers[name]));
  return findTraceId(...own, readCloudEventAttribute(headers, 'traceparent'));
}
