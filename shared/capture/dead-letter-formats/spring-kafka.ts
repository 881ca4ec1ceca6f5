import { toCount, toDateFromMillis } from '../column-values.ts';
import { describeException } from '../exception.ts';
import { type Headers, hasHeader, lastText, listTexts, listValues, readBigEndian } from '../header-values.ts';
import { findHop } from '../hops.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Spring for Apache Kafka, with headers `kafka_dlt-`, or of its `@RetryableTopic`, which shares only the
 * header of the group. Numbers are big-endian bytes; those of `retry_topic-` have the length of Java's BigInteger. Each
 * hop appends its `original-` headers and replaces those of the exception; the hops of retry topics count as one.
 * https://github.com/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/listener/DeadLetterRecordManager.java
 * https://github.com/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/retrytopic/RetryTopicHeaders.java
 */
export function readSpringKafka(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^(kafka_(dlt-|original-|exception-)|retry_topic-)/)) return undefined;
  const topics = listOriginal(headers, 'topic', listTexts);
  const groups = listTexts(headers['kafka_dlt-original-consumer-group']);
  const hop = findHop(groups, topics.length);
  const number = (name: string, length: number) =>
    readBigEndian(listOriginal(headers, name, listValues)[hop], length);
  const retriedAt = hop === 0 ? listValues(headers['retry_topic-original-timestamp'])[0] : undefined;
  return describeKafkaFailure(message, {
    kind: 'spring-kafka',
    position: toKafkaPosition(topics[hop] ?? null, number('partition', 4), number('offset', 8)),
    consumerGroup: groups.at(-1) ?? null,
    attempts: readAttempts(headers, topics.length),
    occurredAt: toDateFromMillis(number('timestamp', 8) ?? readBigEndian(retriedAt, 6, 7, 8)),
    ...describeException(readException(headers)),
  });
}

/** The values of an original header, one for each hop. Retry topics come before any other dead letter. */
function listOriginal<Value>(
  headers: Headers,
  name: string,
  list: (value: Headers[string] | undefined) => readonly Value[],
): readonly Value[] {
  return [...list(headers[`kafka_original-${name}`]), ...list(headers[`kafka_dlt-original-${name}`])];
}

/** Deliveries to the consumer that failed last. The header of retry topics counts the one that would come next. */
function readAttempts(headers: Headers, hops: number): number | null {
  const next = toCount(readBigEndian(listValues(headers['retry_topic-attempts']).at(-1), 1, 4));
  if (next !== null && hops <= 1) return Math.max(1, next - 1);
  const deliveries = listValues(headers.kafka_deliveryAttempt);
  return deliveries.length >= hops ? toCount(readBigEndian(deliveries.at(-1), 4)) : null;
}

/** The cause is the exception that the listener threw. A failed key deserialization has headers of its own. */
function readException(headers: Headers) {
  const prefix = hasHeader(headers, /^kafka_dlt-(key-)?exception-/) ? 'kafka_dlt-' : 'kafka_';
  const exception = (name: string) =>
    lastText(headers[`${prefix}exception-${name}`]) ?? lastText(headers[`${prefix}key-exception-${name}`]);
  return {
    errorClass: exception('cause-fqcn') ?? exception('fqcn'),
    message: exception('message'),
    stacktrace: exception('stacktrace'),
  };
}
