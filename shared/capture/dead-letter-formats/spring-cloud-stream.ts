import { toDateFromMillis } from '../column-values.ts';
import { describeException } from '../exception.ts';
import { hasHeader, lastText, listTexts, listValues, readBigEndian } from '../header-values.ts';
import { findHop } from '../hops.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { readRecord, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Spring Cloud Stream's Kafka binder; its RabbitMQ binder has no `x-original-topic`. Numbers are
 * big-endian bytes. The group appears only in the default topic name, `error.<destination>.<group>`. The class and message
 * of the handler wrap those of the function that failed, of which the message alone is in a header.
 * https://github.com/spring-cloud/spring-cloud-stream/blob/main/binders/kafka-binder/spring-cloud-stream-binder-kafka/src/main/java/org/springframework/cloud/stream/binder/kafka/KafkaMessageChannelBinder.java
 */
export function readSpringCloudStream(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!('x-original-topic' in headers && hasHeader(headers, /^x-(exception-|original-(partition|offset))/)))
    return undefined;
  const topics = listTexts(headers['x-original-topic']);
  const readTopics = [...topics.slice(1), readRecord(message).position.topic];
  const groups = topics.map((topic, i) => findGroup(readTopics[i] ?? null, topic));
  const hop = findHop(groups, topics.length);
  const number = (name: string, length: number) =>
    readBigEndian(listValues(headers[`x-original-${name}`])[hop], length);
  return describeKafkaFailure(message, {
    kind: 'spring-cloud-stream',
    position: toKafkaPosition(topics[hop] ?? null, number('partition', 4), number('offset', 8)),
    consumerGroup: groups.at(-1) ?? null,
    occurredAt: toDateFromMillis(number('timestamp', 8)),
    ...describeException({
      errorClass: lastText(headers['x-exception-fqcn']),
      message: lastText(headers['x-exception-message']),
      stacktrace: lastText(headers['x-exception-stacktrace']),
    }),
  });
}

function findGroup(deadLetterTopic: string | null, topic: string | null): string | null {
  const prefix = `error.${topic}.`;
  return deadLetterTopic?.startsWith(prefix) ? deadLetterTopic.slice(prefix.length) || null : null;
}
