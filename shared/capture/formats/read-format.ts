import { findOwnHeaders } from '../../message/failure-headers.ts';
import type { Fact } from '../../message/formats/format.ts';
import { formats } from '../../message/formats/formats.ts';
import { firstText } from '../header-values.ts';
import { keyFromId, openHeaders, toPublication } from '../identity.ts';
import { keyFromPosition, type Position, readRecord, toPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { type CompiledFormat, compileFormat, listFact, readFacts } from './compile-format.ts';
import { findFirstDeath } from './places.ts';
import { type Brought, listDeclared, takeMessage } from './take-message.ts';

const compiled = formats.map(compileFormat);

/** A message as the first format that recognizes it says. */
export function readFormat(message: Message) {
  // Once for all formats and facts: a sender chooses their length.
  const { headers, named } = message;
  const opened = { ...message, own: findOwnHeaders(headers), death: findFirstDeath(named) };
  for (const each of listDeclared(compiled, message.request)) {
    const taken = takeMessage(each, opened);
    if (taken) return describeFailure(each, opened, taken);
  }
  return { ...message, format: null };
}

/** The facts of the message within a report of its failure come before those of the report. */
function describeFailure(compiled: CompiledFormat, message: Message, taken: Brought) {
  const own = compiled.headers ? Object.entries(openHeaders(taken.headers).facts) : [];
  return {
    ...{ ...message, ...taken, format: compiled.format.name },
    facts: {
      ...message.facts,
      ...readFacts(compiled, message),
      ...(compiled.format.of === 'kafka' && readKafkaFailure(compiled, message)),
      ...Object.fromEntries(own.filter(([, value]) => value !== null)),
    },
  };
}

/**
 * All facts of a failed Kafka record. Without a reported position, that of the record as received stands in;
 * facts that the format does not report are those of the transport.
 */
function readKafkaFailure(compiled: CompiledFormat, message: Message): Partial<Facts> {
  const { facts } = message;
  const record = readRecord(message);
  const hop = findHop(compiled, message);
  const at = (fact: Fact) => listFact(compiled, fact, message)[hop];
  const reported = toPosition(at('topic'), at('partition'), at('offset'));
  const recordKey = keyFromPosition(record);
  const isPartial = compiled.format.isOfRecord && keyFromPosition(reported) === undefined;
  const own = isPartial && recordKey !== undefined ? record : reported;
  const { sourceTopic, sourcePartition, sourceOffset } = own.sourceTopic === null ? record : own;
  const occurredAt = (at('time') as Date | null | undefined) ?? (isPartial ? record.occurredAt : null);
  const outboxId = findOutboxId(message);
  const ownKey = outboxId === null ? message.ownKey : keyFromId(outboxId);
  const eventKey = ownKey ?? keyFromPosition(own) ?? recordKey ?? facts.eventKey;
  return {
    ...(eventKey !== undefined && { eventKey }),
    ...(outboxId !== null && { eventId: outboxId }),
    ...describePublication(own, occurredAt, record.occurredAt),
    // With its time: a topic that was created again has the same positions.
    ...(recordKey !== undefined && { deliveryId: toPublication(record.occurredAt, recordKey) }),
    topicType: reported.sourceTopic ?? sourceTopic,
    ...{ sourceTopic, sourcePartition, sourceOffset, occurredAt },
    ...(!compiled.facts.has('key') && { sourceKey: record.sourceKey }),
    ...(sourceTopic !== null && { sourceSubscription: null }),
  };
}

/**
 * The index of the hop at which the latest consumer of a record failed first, if each hop appended its
 * consumer. Another consumer that fails on a dead letter is a failure of its own, at the position of that
 * dead letter; the same consumer that fails again is still the failure of the original record.
 */
function findHop(compiled: CompiledFormat, message: Message): number {
  const consumers = listFact(compiled, 'consumer', message);
  const hops = listFact(compiled, 'topic', message).length;
  return consumers.length === hops ? Math.max(0, consumers.indexOf(consumers.at(-1) ?? null)) : 0;
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
function findOutboxId({ ownId, headers }: Message): string | null {
  const id = ownId === null ? firstText(headers.id) : null;
  return id !== null && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id : null;
}
