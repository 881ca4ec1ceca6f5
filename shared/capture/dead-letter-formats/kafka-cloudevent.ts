import { toDate } from '../column-values.ts';
import { hasHeader } from '../header-values.ts';
import { describeKafkaFailure, readRecordAttribute } from '../kafka-failure.ts';
import { isFromKafka, readRecord } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A CloudEvent in a Kafka record. The Pub/Sub sink connector prints dates as Java does, and `1.0` as `1`; without
 * `metadata.publish=true` only the underscore in `ce_` shows that it came from Kafka.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/kafka-protocol-binding.md
 */
export function readKafkaCloudEvent(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!isFromKafka(message) && !hasHeader(headers, /^ce_/)) return undefined;
  const attribute = (name: string) => readRecordAttribute(headers, name);
  if (['id', 'source', 'type'].some((name) => attribute(name) === null)) return undefined;
  const { position, key, writtenAt } = readRecord(message);
  const occurredAt = toDate(attribute('time')) ?? writtenAt;
  const facts = describeKafkaFailure(message, { kind: 'kafka', position, occurredAt });
  return { ...facts, sourceKey: key ?? attribute('subject') };
}
