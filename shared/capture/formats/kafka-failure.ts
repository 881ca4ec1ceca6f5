import type { Fact } from '../../message/formats/format.ts';
import { unwrapConnectHeaders } from '../connect-text.ts';
import { firstText, type Headers } from '../header-values.ts';
import { findApplicationId, keyFromId, toPublication } from '../identity.ts';
import { type KafkaPosition, keyFromPosition, readRecord, toKafkaPosition } from '../kafka-record.ts';
import type { Capture, Facts, Message } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { type CompiledFormat, listFact, readTextFact } from './compile-format.ts';
import type { Opened } from './opened.ts';
import { readFailure } from './read-failure.ts';

/**
 * All facts of a failed Kafka record. Without a reported position, the position of the record as received
 * stands in; facts that the format does not report are those of the transport.
 */
export function readKafkaFailure(compiled: CompiledFormat, given: Opened): Partial<Capture> {
  const { message } = given;
  const { facts } = message;
  const { kind, name, newestFirst } = compiled.format;
  const opened = newestFirst ? { ...given, newestFirst } : given;
  const headers = unwrapConnectHeaders(message.headers);
  const record = readRecord(message);
  const hop = findHop(compiled, opened);
  const reported = readPosition(compiled, opened, hop);
  const position = reported.topic === null ? record.position : reported;
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const occurredAt = readTime(compiled, opened, hop);
  const recordKey = keyFromPosition(record.position);
  // Whether a type is stated follows from the type.
  const { isTypeTold: _, ...failure } = readFailure(compiled, opened);
  return {
    ...failure,
    ...identify(headers, keyFromPosition(reported) ?? recordKey ?? facts.eventKey),
    ...describePublication(reported, occurredAt, record.writtenAt),
    deliveryId: recordKey ?? facts.deliveryId ?? null,
    eventType:
      text('type') ?? findEventType(headers, facts) ?? text('topicType') ?? position.topic ?? 'unknown',
    traceId: findRecordTraceId(headers) ?? facts.traceId ?? null,
    sourceKind: kind ?? name,
    sourceTopic: position.topic,
    sourcePartition: position.partition,
    sourceOffset: position.offset,
    sourceKey: compiled.facts.has('key') ? text('key') : record.key,
    sourceSubscription: position.topic === null ? (facts.sourceSubscription ?? null) : null,
    occurredAt,
  };
}

/**
 * The index of the hop at which the latest consumer of a record failed first, if each hop appended its
 * consumer. Another consumer that fails on a dead letter is a failure of its own, at the position of that
 * dead letter; the same consumer that fails again is still the failure of the original record. The first hop,
 * if some hops named no consumer.
 */
function findHop(compiled: CompiledFormat, opened: Opened): number {
  const consumers = listFact(compiled, 'consumer', opened);
  const hops = listFact(compiled, 'topic', opened).length;
  return consumers.length === hops ? Math.max(0, consumers.indexOf(consumers.at(-1) ?? null)) : 0;
}

function readPosition(compiled: CompiledFormat, opened: Opened, hop: number): KafkaPosition {
  const at = (fact: Fact) => listFact(compiled, fact, opened)[hop] ?? null;
  return toKafkaPosition(at('topic') as string | null, at('partition'), at('offset'));
}

/** The time of the hop; of the first hop also that of another place. */
function readTime(compiled: CompiledFormat, opened: Opened, hop: number): Date | null {
  const times = listFact(compiled, 'time', opened) as readonly (Date | null)[];
  return times[hop] ?? (hop === 0 ? times.find((time) => time !== null) : null) ?? null;
}

/** The time of the dead letter is when it was given up, unless it keeps that of the original. */
function describePublication(position: KafkaPosition, occurredAt: Date | null, writtenAt: Date | null) {
  const coordinates = keyFromPosition(position);
  if (coordinates === undefined) return {};
  const isLater = writtenAt !== null && occurredAt !== null && writtenAt > occurredAt;
  return { publication: toPublication(occurredAt, coordinates), failedAt: isLater ? writtenAt : null };
}

/** The ids that survive a replay come first: the application's, then the CloudEvent's, then `otherKey`. */
function identify(headers: Headers, otherKey: string | undefined): Partial<Facts> {
  const recordId = findApplicationId(headers) ?? findOutboxId(headers);
  if (recordId !== null) return { eventId: recordId, eventKey: keyFromId(recordId) };
  const [eventId, source] = [readAttribute(headers, 'id'), readAttribute(headers, 'source')];
  const eventKey = eventId && source ? `ce:${source}#${eventId}` : otherKey;
  return { eventId, ...(eventKey !== undefined && { eventKey }) };
}

/**
 * An attribute of a CloudEvent in a Kafka record, or null. Kafka's binding has the prefix `ce_`; an event in
 * structured mode that came through Pub/Sub has `ce-`.
 */
function readAttribute(headers: Headers, name: string): string | null {
  return firstText(headers[`ce_${name}`]) ?? firstText(headers[`ce-${name}`]);
}

/**
 * The header in which Debezium's outbox router writes an event's id. Other producers use the same name: only
 * a UUID is certain to be unique.
 * https://debezium.io/documentation/reference/stable/transformations/outbox-event-router.html
 */
function findOutboxId(headers: Headers): string | null {
  const id = firstText(headers.id);
  return id !== null && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id : null;
}

/** `__TypeId__` is Spring's header for the class, in lower case after a hop over HTTP. */
function findEventType(headers: Headers, facts: Message['facts']): string | null {
  const names = ['event_type', 'eventType', '__TypeId__', '__typeid__'];
  const types = [readAttribute(headers, 'type'), ...names.map((name) => firstText(headers[name]))];
  const reported = facts.eventType === 'unknown' ? null : facts.eventType;
  return types.find((type) => type !== null) ?? reported ?? null;
}

function findRecordTraceId(headers: Headers): string | null {
  const own = ['googclient_traceparent', 'traceparent'].map((name) => firstText(headers[name]));
  return findTraceId(...own, readAttribute(headers, 'traceparent'));
}
