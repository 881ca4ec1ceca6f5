import { describeFailure } from '../describe-failure.ts';
import { isFromKafka, readRecord } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/** A record in whose headers nothing tells of a failure, as with every dead letter whose headers a bridge dropped. */
export function readKafka(message: Message): Partial<Facts> | undefined {
  if (!isFromKafka(message)) return undefined;
  const { place, writtenAt } = readRecord(message);
  return describeFailure(message, { kind: 'kafka', place, occurredAt: writtenAt });
}
