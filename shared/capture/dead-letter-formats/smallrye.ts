import { toCount, toDateFromMillis } from '../column-values.ts';
import { describeException } from '../exception.ts';
import { firstText, hasHeader, lastText } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of SmallRye Reactive Messaging, and so of Quarkus: `dead-letter-`, or `delayed-retry-` after the last
 * retry. It writes its own headers before those that it copies: the first value is the latest, the last the original.
 * Neither the consumer nor a stack trace is reported, and the method that failed is invoked by reflection: if it throws, the
 * reason is that of the invocation.
 * https://github.com/smallrye/smallrye-reactive-messaging/blob/main/smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/fault/KafkaDeadLetterQueue.java
 * https://github.com/smallrye/smallrye-reactive-messaging/blob/main/smallrye-reactive-messaging-kafka/src/main/java/io/smallrye/reactive/messaging/kafka/fault/KafkaDelayedRetryTopic.java
 */
export function readSmallRye(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^(dead-letter|delayed-retry)-(topic|reason)$/)) return undefined;
  const prefix = hasHeader(headers, /^dead-letter-(topic|reason)$/) ? 'dead-letter-' : 'delayed-retry-';
  const original = (name: string) => lastText(headers[`${prefix}${name}`]);
  const latest = (name: string) => firstText(headers[`${prefix}${name}`]);
  const isRetried = prefix === 'delayed-retry-';
  const retries = isRetried ? toCount(firstText(headers['delayed-retry-count'])) : null;
  return describeKafkaFailure(message, {
    kind: 'smallrye',
    position: toKafkaPosition(original('topic'), original('partition'), original('offset')),
    attempts: retries === null ? null : retries + 1,
    occurredAt: toDateFromMillis(lastText(headers['delayed-retry-original-timestamp'])),
    ...describeException({
      errorClass: latest('exception-class-name'),
      message: latest('reason'),
      stacktrace: null,
      cause: { errorClass: latest('cause-class-name'), message: latest('cause') },
    }),
  });
}
