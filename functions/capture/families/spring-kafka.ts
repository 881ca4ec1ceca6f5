import { describeFailure } from '../describe-failure.ts';
import {
  firstFact,
  firstValue,
  type Headers,
  hasHeader,
  lastFact,
  lastValue,
  readBigEndian,
} from '../header-value.ts';
import { toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { joinReason, toCount, toMomentOfMillis } from '../text.ts';

/**
 * Spring for Apache Kafka's dead letters, `kafka_dlt-`, and those of its `@RetryableTopic`, which have other names
 * but for the group. Numbers are big-endian bytes, those of `retry_topic-` as many as Java's BigInteger needed. Each
 * hop adds its `original-` headers at the end and replaces those of the exception.
 * https://github.com/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/listener/DeadLetterRecordManager.java
 * https://github.com/spring-projects/spring-kafka/blob/main/spring-kafka/src/main/java/org/springframework/kafka/retrytopic/RetryTopicHeaders.java
 */
export function readSpringKafka(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^(kafka_(dlt-|original-|exception-)|retry_topic-)/)) return undefined;
  const prefix = 'kafka_dlt-original-topic' in headers ? 'kafka_dlt-original-' : 'kafka_original-';
  const number = (name: string, length: number) =>
    readBigEndian(firstValue(headers[`${prefix}${name}`]), length);
  return describeFailure(message, {
    kind: 'spring-kafka',
    place: toPlace(firstFact(headers[`${prefix}topic`]), number('partition', 4), number('offset', 8)),
    consumerGroup: firstFact(headers['kafka_dlt-original-consumer-group']),
    attempts: readAttempts(headers),
    occurredAt: toMomentOfMillis(
      number('timestamp', 8) ?? readBigEndian(firstValue(headers['retry_topic-original-timestamp']), 6, 7, 8),
    ),
    ...readError(headers),
  });
}

function readAttempts(headers: Headers): number | null {
  const retries = readBigEndian(lastValue(headers['retry_topic-attempts']), 1, 4);
  return toCount(retries ?? readBigEndian(lastValue(headers.kafka_deliveryAttempt), 4));
}

/** The root cause says more than the listener's exception around it. A key that was not readable has names of its own. */
function readError(headers: Headers) {
  const prefix = hasHeader(headers, /^kafka_dlt-(key-)?exception-/) ? 'kafka_dlt-' : 'kafka_';
  const told = (name: string) =>
    lastFact(headers[`${prefix}exception-${name}`]) ?? lastFact(headers[`${prefix}key-exception-${name}`]);
  const errorClass = told('cause-fqcn') ?? told('fqcn');
  return { errorClass, reason: joinReason(errorClass, told('message')), stacktrace: told('stacktrace') };
}
