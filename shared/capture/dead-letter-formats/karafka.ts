import { toCount } from '../column-values.ts';
import { firstText, lastText } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Karafka Pro, which has the position of the failed message but no reason. The header names are
 * generic: all three must be present.
 * https://karafka.io/docs/Pro-Enhanced-Dead-Letter-Queue/
 */
export function readKarafka(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  const names = ['source_topic', 'source_partition', 'source_offset'];
  if (!names.every((name) => name in headers)) return undefined;
  return describeKafkaFailure(message, {
    kind: 'karafka',
    position: toKafkaPosition(
      firstText(headers.source_topic),
      firstText(headers.source_partition),
      firstText(headers.source_offset),
    ),
    consumerGroup: firstText(headers.source_consumer_group),
    attempts: toCount(lastText(headers.source_attempts)),
  });
}
