import { describeKafkaFailure } from '../kafka-failure.ts';
import { isFromKafka, readRecord } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/** A Kafka record without headers of any dead-letter format, such as a dead letter whose headers a bridge dropped. */
export function readKafka(message: Message): Partial<Facts> | undefined {
  if (!isFromKafka(message)) return undefined;
  const { position, writtenAt } = readRecord(message);
  return describeKafkaFailure(message, { kind: 'kafka', position, occurredAt: writtenAt });
}
