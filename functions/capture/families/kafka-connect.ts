import { describeFailure } from '../describe-failure.ts';
import { firstFact, hasHeader, lastFact } from '../header-value.ts';
import { readRecord, toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { joinReason } from '../text.ts';

/**
 * A Kafka Connect sink's dead letter, if the connector has `errors.deadletterqueue.context.headers.enable`. It keeps
 * the original record's time, and its consumer group is named after the connector.
 * https://github.com/apache/kafka/blob/trunk/connect/runtime/src/main/java/org/apache/kafka/connect/runtime/errors/DeadLetterQueueReporter.java
 */
export function readKafkaConnect(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^__connect\.errors\./)) return undefined;
  const first = (name: string) => firstFact(headers[`__connect.errors.${name}`]);
  const last = (name: string) => lastFact(headers[`__connect.errors.${name}`]);
  const connector = first('connector.name');
  const errorClass = last('exception.class.name');
  return describeFailure(message, {
    kind: 'kafka-connect',
    place: toPlace(first('topic'), first('partition'), first('offset')),
    consumerGroup: connector && `connect-${connector}`,
    occurredAt: readRecord(message).writtenAt,
    errorClass,
    reason: joinReason(errorClass, last('exception.message')),
    stacktrace: last('exception.stacktrace'),
  });
}
