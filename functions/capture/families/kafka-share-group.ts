import { describeFailure } from '../describe-failure.ts';
import { firstFact, hasHeader, lastFact } from '../header-value.ts';
import { toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { toCount } from '../text.ts';

/**
 * A dead letter that the broker wrote for a share group (KIP-1191). It has none of the original record's headers and
 * not its time, and key and value only where the group asks for a copy. The topic is an id if its name was gone.
 * https://github.com/apache/kafka/blob/trunk/server/src/main/java/org/apache/kafka/server/share/dlq/ShareGroupDLQStateManager.java
 */
export function readKafkaShareGroup(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^__dlq\.errors\./)) return undefined;
  const first = (name: string) => firstFact(headers[`__dlq.errors.${name}`]);
  const last = (name: string) => lastFact(headers[`__dlq.errors.${name}`]);
  return describeFailure(message, {
    kind: 'kafka-share-group',
    place: toPlace(first('topic'), first('partition'), first('offset')),
    consumerGroup: first('group'),
    attempts: toCount(last('delivery.count')),
    reason: last('message'),
  });
}
