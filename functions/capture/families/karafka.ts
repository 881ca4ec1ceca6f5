import { describeFailure } from '../describe-failure.ts';
import { firstFact, lastFact } from '../header-value.ts';
import { toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { toCount } from '../text.ts';

/**
 * A dead letter of Karafka Pro, which tells where a message failed but not why. Such plain names are taken for
 * Karafka's only together.
 * https://karafka.io/docs/Pro-Enhanced-Dead-Letter-Queue/
 */
export function readKarafka(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  const names = ['source_topic', 'source_partition', 'source_offset'];
  if (!names.every((name) => name in headers)) return undefined;
  return describeFailure(message, {
    kind: 'karafka',
    place: toPlace(
      firstFact(headers.source_topic),
      firstFact(headers.source_partition),
      firstFact(headers.source_offset),
    ),
    consumerGroup: firstFact(headers.source_consumer_group),
    attempts: toCount(lastFact(headers.source_attempts)),
  });
}
