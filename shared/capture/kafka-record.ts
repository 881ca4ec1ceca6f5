import { toBigCount, toCount, toDateFromMillis, toText } from './column-values.ts';
import { decodeUtf8 } from './content.ts';
import { firstText } from './header-values.ts';
import type { Facts, Message } from './message.ts';

/** The coordinates of a Kafka record, null for those that are unknown. */
export type Position = Pick<Facts, 'sourceTopic' | 'sourcePartition' | 'sourceOffset'>;

/**
 * The record as received; for a dead letter, the record in the dead-letter topic. Reported by a transport of
 * Kafka records, or by the Pub/Sub sink connector in attributes: those named `kafka.` only with
 * `metadata.publish=true`.
 * https://github.com/googleapis/java-pubsub-group-kafka-connector
 */
export function readRecord({ headers, facts }: Message): Position & Pick<Facts, 'sourceKey' | 'occurredAt'> {
  const { sourceTopic, sourcePartition, sourceOffset, sourceKey = null, occurredAt = null } = facts;
  if (facts.sourceKind === 'kafka')
    return { ...toPosition(sourceTopic, sourcePartition, sourceOffset), sourceKey, occurredAt };
  const attribute = (name: string) => firstText(headers[`kafka.${name}`]);
  return {
    ...toPosition(attribute('topic'), attribute('partition'), attribute('offset')),
    sourceKey: firstText(headers.key),
    occurredAt: toDateFromMillis(attribute('timestamp')),
  };
}

/** A record's key: base64 of one that is not UTF-8, and its bytes if the text does not give them back. */
export function sourceKeyFromBytes(bytes: Buffer): Pick<Facts, 'sourceKey' | 'sourceKeyBase64'> {
  const base64 = bytes.toString('base64');
  const text = decodeUtf8(bytes);
  const sourceKey = toText(text ?? base64);
  return { sourceKey, sourceKeyBase64: sourceKey === text ? null : base64 };
}

export function toPosition(topic: unknown, partition: unknown, offset: unknown): Position {
  return {
    sourceTopic: toText(topic),
    sourcePartition: toCount(partition),
    sourceOffset: toBigCount(offset),
  };
}

/**
 * The event key from a record's coordinates, or undefined if one is unknown. Two clusters with equal topic
 * names share these keys: nothing in a record names its cluster.
 */
export function keyFromPosition({ sourceTopic, sourcePartition, sourceOffset }: Position) {
  if (sourceTopic === null || sourcePartition === null || sourceOffset === null) return undefined;
  return `kafka:${sourceTopic}/${sourcePartition}/${sourceOffset}`;
}
