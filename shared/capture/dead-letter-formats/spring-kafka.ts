import { toCount, toDateFromMillis } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import {
  firstText,
  firstValue,
  type Headers,
  hasHeader,
  lastText,
  lastValue,
  readBigEndian,
} from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Spring for Apache Kafka, with headers `kafka_dlt-`, or of its `@RetryableTopic`, which shares only the
 * header of the group. Numbers are big-endian bytes; those of `retry_topic-` have the length of Java's BigInteger. Each
 * hop appends its `original-` headers and replaces those of the exception.
 * https://github.com/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/listener/DeadLetterRecordManager.java
 * https://github.com/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/retrytopic/RetryTopicHeaders.java
 */
export function readSpringKafka(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^(kafka_(dlt-|original-|exception-)|retry_topic-)/)) return undefined;
  const prefix = 'kafka_dlt-original-topic' in headers ? 'kafka_dlt-original-' : 'kafka_original-';
  const number = (name: string, length: number) =>
    readBigEndian(firstValue(headers[`${prefix}${name}`]), length);
  return describeKafkaFailure(message, {
    kind: 'spring-kafka',
    position: toKafkaPosition(
      firstText(headers[`${prefix}topic`]),
      number('partition', 4),
      number('offset', 8),
    ),
    consumerGroup: firstText(headers['kafka_dlt-original-consumer-group']),
    attempts: readAttempts(headers),
    occurredAt: toDateFromMillis(
      number('timestamp', 8) ?? readBigEndian(firstValue(headers['retry_topic-original-timestamp']), 6, 7, 8),
    ),
    ...readError(headers),
  });
}

function readAttempts(headers: Headers): number | null {
  const retries = readBigEndian(lastValue(headers['retry_topic-attempts']), 1, 4);
  return toCount(retries ?? readBigEndian(lastValue(headers.kafka_deliveryAttempt), 4));
}

/** The cause is more specific than the listener's exception. A failed key deserialization has headers of its own. */
function readError(headers: Headers) {
  const prefix = hasHeader(headers, /^kafka_dlt-(key-)?exception-/) ? 'kafka_dlt-' : 'kafka_';
  const exception = (name: string) =>
    lastText(headers[`${prefix}exception-${name}`]) ?? lastText(headers[`${prefix}key-exception-${name}`]);
  const errorClass = exception('cause-fqcn') ?? exception('fqcn');
  return {
    errorClass,
    reason: joinReason(errorClass, exception('message')),
    stacktrace: exception('stacktrace'),
  };
}
