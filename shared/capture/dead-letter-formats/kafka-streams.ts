import { describeException } from '../exception.ts';
import { firstText, hasHeader, lastText } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { readRecord, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Kafka Streams (KIP-1034, Kafka 4.2). `exception` is the class alone. The record keeps its time;
 * the application's id is missing.
 * https://github.com/apache/kafka/blob/trunk/streams/src/main/java/org/apache/kafka/streams/errors/internals/ExceptionHandlerUtils.java
 */
export function readKafkaStreams(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^__streams\.errors\./)) return undefined;
  const first = (name: string) => firstText(headers[`__streams.errors.${name}`]);
  const last = (name: string) => lastText(headers[`__streams.errors.${name}`]);
  return describeKafkaFailure(message, {
    kind: 'kafka-streams',
    position: toKafkaPosition(first('topic'), first('partition'), first('offset')),
    occurredAt: readRecord(message).writtenAt,
    ...describeException({
      errorClass: last('exception'),
      message: last('message'),
      stacktrace: last('stacktrace'),
    }),
  });
}
