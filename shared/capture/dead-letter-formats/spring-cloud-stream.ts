import { toDateFromMillis } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { firstText, firstValue, lastText, readBigEndian } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { readRecord, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Spring Cloud Stream's Kafka binder; its RabbitMQ binder has no `x-original-topic`. Numbers are
 * big-endian bytes. The group appears only in the default topic name, `error.<destination>.<group>`.
 * https://github.com/spring-cloud/spring-cloud-stream/blob/main/binders/kafka-binder/spring-cloud-stream-binder-kafka/src/main/java/org/springframework/cloud/stream/binder/kafka/KafkaMessageChannelBinder.java
 */
export function readSpringCloudStream(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!('x-original-topic' in headers)) return undefined;
  const number = (name: string, length: number) =>
    readBigEndian(firstValue(headers[`x-original-${name}`]), length);
  const topic = firstText(headers['x-original-topic']);
  const errorClass = lastText(headers['x-exception-fqcn']);
  return describeKafkaFailure(message, {
    kind: 'spring-cloud-stream',
    position: toKafkaPosition(topic, number('partition', 4), number('offset', 8)),
    consumerGroup: findGroup(readRecord(message).position.topic, topic),
    occurredAt: toDateFromMillis(number('timestamp', 8)),
    errorClass,
    reason: joinReason(errorClass, lastText(headers['x-exception-message'])),
    stacktrace: lastText(headers['x-exception-stacktrace']),
  });
}

function findGroup(deadLetterTopic: string | null, topic: string | null): string | null {
  const prefix = `error.${topic}.`;
  return deadLetterTopic?.startsWith(prefix) ? deadLetterTopic.slice(prefix.length) || null : null;
}
