import type { Headers } from '../../message/event.ts';
import { findOwnHeaders } from '../../message/formats/application.ts';
import type { Fact } from '../../message/formats/format.ts';
import { formats } from '../../message/formats/formats.ts';
import { type Content, toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { firstText, nameHeaders } from '../header-values.ts';
import { findApplicationId, keyFromId, toPublication } from '../identity.ts';
import { keyFromPosition, type Position, readRecord, toPosition } from '../kafka-record.ts';
import type { Failure, Message, Opened } from '../message.ts';
import { type CompiledFormat, compileFormat, listFact, matches, readTextFact } from './compile-format.ts';
import { readFailure } from './read-failure.ts';

const compiled = formats.map(compileFormat);

/**
 * What the first format says that recognizes a message, by its text, and the content that it took out, or all
 * of it.
 */
export function readFormat({ text, attributes, ...message }: Message, isAllowed: (name: string) => boolean) {
  const body = text === undefined ? message.body : Buffer.from(text);
  const headers = { ...message.headers, ...attributes };
  const opened = {
    message: { ...message, body, headers },
    named: nameHeaders(headers),
    own: findOwnHeaders(headers),
  };
  const found = compiled.find((each) => isAllowed(each.format.name) && matches(each, opened));
  const read = found?.format.of === 'kafka' ? readKafkaFailure : readFailure;
  const { body: taken, ...failure }: Failure = found ? read(found, opened) : {};
  const isTaken = taken !== undefined && taken !== body;
  const content: Content & { text?: string | undefined } = isTaken
    ? toContent(taken)
    : { body: message.body, json: message.json, text };
  return { format: found?.format.name ?? null, failure, content };
}

/**
 * All facts of a failed Kafka record. Without a reported position, that of the record as received stands in;
 * facts that the format does not report are those of the transport.
 */
export function readKafkaFailure(compiled: CompiledFormat, opened: Opened): Failure {
  const { message } = opened;
  const { facts } = message;
  const failure = readFailure(compiled, opened);
  const record = readRecord(message);
  const hop = findHop(compiled, opened);
  const at = (fact: Fact) => listFact(compiled, fact, opened)[hop];
  const reported = toPosition(at('topic'), at('partition'), at('offset'));
  const { sourceTopic, sourcePartition, sourceOffset } = reported.sourceTopic === null ? record : reported;
  const occurredAt = readTime(compiled, opened, hop);
  const recordKey = keyFromPosition(record);
  const known = readHeaderFacts(message.headers);
  const outboxId = findOutboxId(message.headers);
  const eventKey = keyFromPosition(reported) ?? recordKey ?? facts.eventKey;
  return {
    ...failure,
    ...(eventKey !== undefined && { eventKey }),
    ...known,
    ...(outboxId !== null && { eventId: outboxId, eventKey: keyFromId(outboxId) }),
    ...describePublication(reported, occurredAt, record.occurredAt),
    deliveryId: recordKey ?? facts.deliveryId ?? null,
    eventType: readTextFact(compiled, 'type', opened) ?? known.eventType ?? facts.eventType ?? null,
    topicType: readTextFact(compiled, 'topicType', opened) ?? sourceTopic,
    traceId: known.traceId ?? facts.traceId ?? null,
    ...{ sourceTopic, sourcePartition, sourceOffset, occurredAt },
    sourceKey: compiled.facts.has('key') ? (failure.sourceKey ?? null) : record.sourceKey,
    sourceSubscription: sourceTopic === null ? (facts.sourceSubscription ?? null) : null,
  };
}

/**
 * The index of the hop at which the latest consumer of a record failed first, if each hop appended its
 * consumer. Another consumer that fails on a dead letter is a failure of its own, at the position of that
 * dead letter; the same consumer that fails again is still the failure of the original record.
 */
function findHop(compiled: CompiledFormat, opened: Opened): number {
  const consumers = listFact(compiled, 'consumer', opened);
  const hops = listFact(compiled, 'topic', opened).length;
  return consumers.length === hops ? Math.max(0, consumers.indexOf(consumers.at(-1) ?? null)) : 0;
}

/** The time of the hop; of the first hop also that of another place. */
function readTime(compiled: CompiledFormat, opened: Opened, hop: number): Date | null {
  const times = listFact(compiled, 'time', opened) as readonly (Date | null)[];
  return times[hop] ?? (hop === 0 ? times.find((time) => time !== null) : null) ?? null;
}

/** The time of the dead letter is when it was given up, unless it keeps that of the original. */
function describePublication(position: Position, occurredAt: Date | null, writtenAt: Date | null) {
  const coordinates = keyFromPosition(position);
  if (coordinates === undefined) return {};
  const isLater = writtenAt !== null && occurredAt !== null && writtenAt > occurredAt;
  return { publication: toPublication(occurredAt, coordinates), failedAt: isLater ? writtenAt : null };
}

/**
 * The header in which Debezium's outbox router writes an event's id, unless the application has its own.
 * Other producers use the same name: only a UUID is certain to be unique.
 * https://debezium.io/documentation/reference/stable/transformations/outbox-event-router.html
 */
function findOutboxId(headers: Headers): string | null {
  const id = findApplicationId(headers) === null ? firstText(headers.id) : null;
  return id !== null && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id : null;
}
