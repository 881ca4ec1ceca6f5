import { toBigCount, toCount, toDateFromMillis, toText } from './column-values.ts';
import { decodeUtf8 } from './decode-bytes.ts';
import type { Facts } from './facts.ts';
import { firstText } from './header-values.ts';
import type { Message } from './message.ts';

/** The coordinates of a Kafka record, null for those that are unknown. */
export type KafkaPosition = {
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
};

export type KafkaRecord = {
  readonly position: KafkaPosition;
  readonly key: string | null;
  readonly writtenAt: Date | null;
};

/**
 * The record as received; for a dead letter, the record in the dead-letter topic. Reported by a transport of
 * Kafka records, or by the Pub/Sub sink connector in attributes: those named `kafka.` only with
 * `metadata.publish=true`.
 * https://github.com/googleapis/java-pubsub-group-kafka-connector
 */
export function readRecord({ headers, facts }: Message): KafkaRecord {
  if (facts.sourceKind === 'kafka') {
    const { sourceTopic, sourcePartition, sourceOffset, sourceKey, occurredAt } = facts;
    const position = toKafkaPosition(sourceTopic ?? null, sourcePartition, sourceOffset);
    return { position, key: sourceKey ?? null, writtenAt: occurredAt ?? null };
  }
  const attribute = (name: string) => firstText(headers[`kafka.${name}`]);
  return {
    position: toKafkaPosition(attribute('topic'), attribute('partition'), attribute('offset')),
    key: firstText(headers.key),
    writtenAt: toDateFromMillis(attribute('timestamp')),
  };
}

/** Whether the message came as a Kafka record, or by the Pub/Sub sink; a report may say any kind. */
export function isFromKafka({ headers, facts }: Message): boolean {
  return (facts.sourceKind === 'kafka' && facts.origin !== 'report') || 'kafka.topic' in headers;
}

/**
 * A record's key as text, or base64 of a key that is not UTF-8; and its bytes, if the text does not give them
 * back.
 */
export function sourceKeyFromBytes(bytes: Buffer): Pick<Facts, 'sourceKey' | 'sourceKeyBase64'> {
  const base64 = bytes.toString('base64');
  const text = decodeUtf8(bytes);
  const sourceKey = toText(text ?? base64);
  return { sourceKey, sourceKeyBase64: sourceKey === text ? null : base64 };
}

export function toKafkaPosition(topic: string | null, partition: unknown, offset: unknown): KafkaPosition {
  return { topic, partition: toCount(partition), offset: toBigCount(offset) };
}

/**
 * The event key from a record's coordinates, or undefined if one is unknown. Two clusters with equal topic
 * names share these keys: nothing in a record names its cluster.
 */
export function keyFromPosition({ topic, partition, offset }: KafkaPosition): string | undefined {
  if (topic === null || partition === null || offset === null) return undefined;
  return `kafka:${topic}/${partition}/${offset}`;
}
