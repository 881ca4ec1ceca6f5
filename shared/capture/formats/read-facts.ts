import type { Fact } from '../../message/formats/format.ts';
import { findApplicationId, keyFromId, toPublication } from '../identity.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import { addNotes, type Facts, type Message } from '../message.ts';
import { type CompiledFormat, findPlace, readFact, readTextFact } from './compile-format.ts';
import { describeException } from './describe-exception.ts';

const columns: Readonly<Partial<Record<Fact, keyof Facts>>> = {
  ...{ id: 'eventId', type: 'eventType', topicType: 'topicType', delivery: 'deliveryId' },
  ...{ topic: 'sourceTopic', partition: 'sourcePartition', offset: 'sourceOffset', key: 'sourceKey' },
  ...{ subscription: 'sourceSubscription', scope: 'consumer', consumer: 'consumerGroup' },
  ...{ attempts: 'sourceAttempts', time: 'occurredAt', published: 'publication', failedAt: 'failedAt' },
  ...{ trace: 'traceId', origin: 'origin' },
};

/** What a record says of a message, whoever brought it. An application's id comes before a broker's. */
export function readFacts(compiled: CompiledFormat, message: Message): Partial<Facts> {
  const { name, of, kind = name, scheme = kind } = compiled.format;
  const identity = readTextFact(compiled, 'identity', message);
  const eventKey = message.known.eventKey ?? (identity === null ? undefined : `${scheme}:${identity}`);
  const own = readColumns(compiled, message);
  if ('eventId' in own && of !== 'webhook') own.eventId = findApplicationId(message.headers) ?? own.eventId;
  const told = {
    ...(eventKey !== undefined && { eventKey }),
    ...(kind !== null && { sourceKind: kind }),
    ...own,
    ...readMetadata(compiled, message),
    ...(of !== 'transport' && readError(compiled, message)),
  };
  return of === 'webhook' ? dropKnown(told, message.facts) : told;
}

/** A webhook reports no failure: what its transport says, such as a consumer's report, comes first. */
function dropKnown({ eventKey: _, ...told }: Partial<Facts>, known: Partial<Facts>): Partial<Facts> {
  const isNew = ([fact, value]: [string, unknown]) =>
    value !== null && (known[fact as keyof Facts] ?? null) === null;
  const facts: Partial<Facts> = Object.fromEntries(Object.entries(told).filter(isNew));
  return facts.eventId ? { ...facts, eventKey: keyFromId(facts.eventId) } : facts;
}

/** A message without a time of its own has that of its publication. */
function readColumns(compiled: CompiledFormat, message: Message): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  for (const fact of compiled.facts.keys()) {
    const column = columns[fact];
    const value = column && readFact(compiled, fact, message);
    if (value instanceof Buffer) Object.assign(told, sourceKeyFromBytes(value));
    // Without a type or a trace of its own, a record leaves that of the transport.
    else if (column && (value !== null || !/type$|^trace$/i.test(fact))) told[column] = value;
    if (fact !== 'published') continue;
    told.publication = toPublication(value as Date | null);
    told.occurredAt ??= value;
  }
  return told;
}

function readMetadata({ metadata }: CompiledFormat, message: Message): Partial<Facts> {
  if (metadata.length === 0) return {};
  const found = metadata.map(([name, places]) => [name, findPlace(places, message)?.value ?? null]);
  return { metadata: addNotes(message.facts.metadata, Object.fromEntries(found)) };
}

function readError(compiled: CompiledFormat, message: Message): Partial<Facts> {
  const text = (fact: Fact) => readTextFact(compiled, fact, message);
  const stacktrace = text('stack');
  const told = describeException({ errorClass: text('class'), message: text('reason'), stacktrace });
  const { reason: errorReason, errorClass } = told;
  return {
    ...(errorReason !== null && { errorReason, errorClass }),
    ...(stacktrace !== null && { errorStacktrace: stacktrace }),
  };
}
