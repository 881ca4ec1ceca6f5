import { describeFailure, readCloudEventAttribute } from '../describe-failure.ts';
import { hasHeader } from '../header-value.ts';
import { isFromKafka, readRecord } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { toMoment } from '../text.ts';

/**
 * A CloudEvent in a Kafka record. Behind the Pub/Sub sink connector dates have become Java's, and `1.0` has become
 * `1`; without `metadata.publish=true` only the underscore in `ce_` tells that it came from Kafka.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/kafka-protocol-binding.md
 */
export function readKafkaCloudEvent(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!isFromKafka(message) && !hasHeader(headers, /^ce_/)) return undefined;
  const told = (name: string) => readCloudEventAttribute(headers, name);
  if (['id', 'source', 'type'].some((name) => told(name) === null)) return undefined;
  const { place, key, writtenAt } = readRecord(message);
  const occurredAt = toMoment(told('time')) ?? writtenAt;
  const facts = describeFailure(message, { kind: 'kafka', place, occurredAt });
  return { ...facts, sourceKey: key ?? told('subject') };
}
