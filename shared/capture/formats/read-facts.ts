import type { Fact } from '../../message/formats/format.ts';
import { findApplicationId, toPublication } from '../identity.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import { addNotes, type Facts, type Message } from '../message.ts';
import { type CompiledFormat, findPlace, readFact, readTextFact } from './compile-format.ts';

const columns: Readonly<Partial<Record<Fact, keyof Facts>>> = {
  ...{ id: 'eventId', type: 'eventType', topicType: 'topicType', delivery: 'deliveryId' },
  ...{ topic: 'sourceTopic', partition: 'sourcePartition', offset: 'sourceOffset', key: 'sourceKey' },
  ...{ subscription: 'sourceSubscription', scope: 'consumer', consumer: 'consumerGroup' },
  ...{ attempts: 'sourceAttempts', time: 'occurredAt', published: 'publication', failedAt: 'failedAt' },
  ...{ origin: 'origin' },
};

/** What a record says of a message, whoever brought it. An application's id comes before a broker's. */
export function readFacts(compiled: CompiledFormat, message: Message): Partial<Facts> {
  const { name, of, kind = name, scheme = kind } = compiled.format;
  const identity = of === 'webhook' ? null : readTextFact(compiled, 'identity', message);
  const eventKey = message.known.eventKey ?? (identity === null ? undefined : `${scheme}:${identity}`);
  const told = readColumns(compiled, message);
  if ('eventId' in told && of !== 'webhook')
    told.eventId = findApplicationId(message.headers) ?? told.eventId;
  return {
    ...(eventKey !== undefined && { eventKey }),
    ...(kind !== null && { sourceKind: kind }),
    ...told,
    ...readMetadata(compiled, message),
  };
}

/** A message without a time of its own has that of its publication. */
function readColumns(compiled: CompiledFormat, message: Message): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  for (const fact of compiled.facts.keys()) {
    const column = columns[fact];
    const value = column && readFact(compiled, fact, message);
    if (value instanceof Buffer) Object.assign(told, sourceKeyFromBytes(value));
    // Without a type of its own, a record leaves that of the transport.
    else if (column && (value !== null || !/type$/i.test(fact))) told[column] = value;
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
