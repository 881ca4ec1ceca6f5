import { describeFailure } from '../describe-failure.ts';
import { firstFact, hasHeader, lastFact } from '../header-value.ts';
import { toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { joinReason, toCount, toMomentOfMillis } from '../text.ts';

/**
 * SmallRye Reactive Messaging, and so Quarkus: `dead-letter-`, or `delayed-retry-` where retries were used up. It
 * writes its own headers before those that it copies: the first of a name is the latest, the last the original.
 * https://github.com/smallrye/smallrye-reactive-messaging/blob/main/smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/fault/KafkaDeadLetterQueue.java
 * https://github.com/smallrye/smallrye-reactive-messaging/blob/main/smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/fault/KafkaDelayedRetryTopic.java
 */
export function readSmallRye(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^(dead-letter|delayed-retry)-(topic|reason)$/)) return undefined;
  const prefix = hasHeader(headers, /^dead-letter-(topic|reason)$/) ? 'dead-letter-' : 'delayed-retry-';
  const original = (name: string) => lastFact(headers[`${prefix}${name}`]);
  const latest = (name: string) => firstFact(headers[`${prefix}${name}`]);
  const errorClass = latest('exception-class-name');
  return describeFailure(message, {
    kind: 'smallrye',
    place: toPlace(original('topic'), original('partition'), original('offset')),
    attempts: toCount(firstFact(headers['delayed-retry-count'])),
    occurredAt: toMomentOfMillis(lastFact(headers['delayed-retry-original-timestamp'])),
    errorClass,
    reason: joinReason(errorClass, latest('reason')),
  });
}
