import { describeException } from '../exception.ts';
import { hasHeader, lastText, listTexts } from '../header-values.ts';
import { findHop } from '../hops.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { readRecord, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of a Kafka Connect sink with `errors.deadletterqueue.context.headers.enable`. It keeps the original
 * record's time; the sink's consumer group is named after the connector. A connector that reads the dead letters of another
 * appends its headers. The stage says whether the key, the value or a header could not be converted.
 * https://github.com/apache/kafka/blob/trunk/connect/runtime/src/main/java/org/apache/kafka/connect/runtime/errors/DeadLetterQueueReporter.java
 */
export function readKafkaConnect(message: Message): Partial<Facts> | undefined {
  const { headers, facts } = message;
  if (!hasHeader(headers, /^__connect\.errors\./)) return undefined;
  const list = (name: string) => listTexts(headers[`__connect.errors.${name}`]);
  const last = (name: string) => lastText(headers[`__connect.errors.${name}`]);
  const hop = findHop(list('connector.name'), list('topic').length);
  const original = (name: string) => list(name)[hop] ?? null;
  const connector = last('connector.name');
  const exception = describeException({
    errorClass: last('exception.class.name'),
    message: last('exception.message'),
    stacktrace: last('exception.stacktrace'),
  });
  const stage = last('stage');
  return {
    ...describeKafkaFailure(message, {
      kind: 'kafka-connect',
      position: toKafkaPosition(original('topic'), original('partition'), original('offset')),
      consumerGroup: connector && `connect-${connector}`,
      occurredAt: readRecord(message).writtenAt,
      ...exception,
    }),
    ...(stage !== null && { metadata: { ...facts.metadata, stage } }),
  };
}
