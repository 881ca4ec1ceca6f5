import { toCount } from '../column-values.ts';
import { firstText, hasHeader, lastText } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter that the broker wrote for a share group (KIP-1191). It has neither the headers nor the time of the
 * original record, and its key and value only if the group is configured so. The topic is an id if it was deleted.
 * https://github.com/apache/kafka/blob/trunk/server/src/main/java/org/apache/kafka/server/share/dlq/ShareGroupDLQStateManager.java
 */
export function readKafkaShareGroup(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^__dlq\.errors\./)) return undefined;
  const first = (name: string) => firstText(headers[`__dlq.errors.${name}`]);
  const last = (name: string) => lastText(headers[`__dlq.errors.${name}`]);
  return describeKafkaFailure(message, {
    kind: 'kafka-share-group',
    position: toKafkaPosition(first('topic'), first('partition'), first('offset')),
    consumerGroup: first('group'),
    attempts: toCount(last('delivery.count')),
    reason: last('message'),
  });
}
