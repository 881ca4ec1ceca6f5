import { describeFailure } from '../describe-failure.ts';
import { firstFact, firstValue, lastFact, readBigEndian } from '../header-value.ts';
import { readRecord, toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { joinReason, toMomentOfMillis } from '../text.ts';

/**
 * A dead letter of Spring Cloud Stream's Kafka binder; its RabbitMQ binder has no `x-original-topic`. Numbers are
 * big-endian bytes. The group is only in the default name of the topic, `error.<destination>.<group>`.
 * https://github.com/spring-cloud/spring-cloud-stream/blob/main/binders/kafka-binder/spring-cloud-stream-binder-kafka/src/main/java/org/springframework/cloud/stream/binder/kafka/KafkaMessageChannelBinder.java
 */
export function readSpringCloudStream(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!('x-original-topic' in headers)) return undefined;
  const number = (name: string, length: number) =>
    readBigEndian(firstValue(headers[`x-original-${name}`]), length);
  const topic = firstFact(headers['x-original-topic']);
  const errorClass = lastFact(headers['x-exception-fqcn']);
  return describeFailure(message, {
    kind: 'spring-cloud-stream',
    place: toPlace(topic, number('partition', 4), number('offset', 8)),
    consumerGroup: findGroup(readRecord(message).place.topic, topic),
    occurredAt: toMomentOfMillis(number('timestamp', 8)),
    errorClass,
    reason: joinReason(errorClass, lastFact(headers['x-exception-message'])),
    stacktrace: lastFact(headers['x-exception-stacktrace']),
  });
}

function findGroup(deadLetterTopic: string | null, topic: string | null): string | null {
  const prefix = `error.${topic}.`;
  return deadLetterTopic?.startsWith(prefix) ? deadLetterTopic.slice(prefix.length) || null : null;
}
