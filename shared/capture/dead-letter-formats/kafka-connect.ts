import { joinReason } from '../error-reason.ts';
import { firstText, hasHeader, lastText } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { readRecord, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of a Kafka Connect sink with `errors.deadletterqueue.context.headers.enable`. It keeps the original
 * record's time; the sink's consumer group is named after the connector.
 * https://github.com/apache/kafka/blob/trunk/connect/runtime/src/main/java/org/apache/kafka/connect/runtime/errors/DeadLetterQueueReporter.java
 */
export function readKafkaConnect(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^__connect\.errors\./)) return undefined;
  const first = (name: string) => firstText(headers[`__connect.errors.${name}`]);
  const last = (name: string) => lastText(headers[`__connect.errors.${name}`]);
  const connector = first('connector.name');
  const errorClass = last('exception.class.name');
  return describeKafkaFailure(message, {
    kind: 'kafka-connect',
    position: toKafkaPosition(first('topic'), first('partition'), first('offset')),
    consumerGroup: connector && `connect-${connector}`,
    occurredAt: readRecord(message).writtenAt,
    errorClass,
    reason: joinReason(errorClass, last('exception.message')),
    stacktrace: last('exception.stacktrace'),
  });
}
