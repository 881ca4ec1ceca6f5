import { firstFact } from './header-value.ts';
import { kafkaKey } from './identity.ts';
import type { Facts, Message } from './message.ts';
import { decodeUtf8, toCount, toFact, toMomentOfMillis, toOffset } from './text.ts';

/** Where a record lies in Kafka, as far as it is known. */
export type Place = {
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
};

export type KafkaRecord = {
  readonly place: Place;
  readonly key: string | null;
  readonly writtenAt: Date | null;
};

/**
 * The record as it reached us, which for a dead letter is the one in the topic for dead letters: told by a carrier of
 * records, or by the Pub/Sub sink connector in attributes, those named `kafka.` only with `metadata.publish=true`.
 * https://github.com/googleapis/java-pubsub-group-kafka-connector
 */
export function readRecord({ headers, facts }: Message): KafkaRecord {
  if (facts.sourceKind === 'kafka') {
    const { sourceTopic, sourcePartition, sourceOffset, sourceKey, occurredAt } = facts;
    const place = toPlace(sourceTopic ?? null, sourcePartition, sourceOffset);
    return { place, key: sourceKey ?? null, writtenAt: occurredAt ?? null };
  }
  const told = (name: string) => firstFact(headers[`kafka.${name}`]);
  return {
    place: toPlace(told('topic'), told('partition'), told('offset')),
    key: firstFact(headers.key),
    writtenAt: toMomentOfMillis(told('timestamp')),
  };
}

/** Whether it came by a carrier of records, which leaves the identity open, or by the Pub/Sub sink connector. */
export function isFromKafka({ headers, facts }: Message): boolean {
  return (facts.sourceKind === 'kafka' && facts.eventKey === undefined) || 'kafka.topic' in headers;
}

/** The key of a record: its text, or base64 of bytes that are none, and the bytes where that would not give them back. */
export function keyFromBytes(bytes: Buffer): Pick<Facts, 'sourceKey' | 'sourceKeyBase64'> {
  const base64 = bytes.toString('base64');
  const text = decodeUtf8(bytes);
  const sourceKey = toFact(text ?? base64);
  return { sourceKey, sourceKeyBase64: sourceKey === text ? null : base64 };
}

export function toPlace(topic: string | null, partition: unknown, offset: unknown): Place {
  return { topic, partition: toCount(partition), offset: toOffset(offset) };
}

export function keyFromPlace(
  { topic, partition, offset }: Place,
  consumer: string | null,
): string | undefined {
  if (topic === null || partition === null || offset === null) return undefined;
  return kafkaKey(topic, partition, offset, consumer);
}
