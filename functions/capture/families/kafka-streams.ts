import { describeFailure } from '../describe-failure.ts';
import { firstFact, hasHeader, lastFact } from '../header-value.ts';
import { readRecord, toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter of Kafka Streams (KIP-1034, Kafka 4.2). `exception` is class and message in one; the record's time is
 * kept, the application's id is not told.
 * https://github.com/apache/kafka/blob/trunk/streams/src/main/java/org/apache/kafka/streams/errors/internals/ExceptionHandlerUtils.java
 */
export function readKafkaStreams(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!hasHeader(headers, /^__streams\.errors\./)) return undefined;
  const first = (name: string) => firstFact(headers[`__streams.errors.${name}`]);
  const last = (name: string) => lastFact(headers[`__streams.errors.${name}`]);
  const exception = last('exception');
  return describeFailure(message, {
    kind: 'kafka-streams',
    place: toPlace(first('topic'), first('partition'), first('offset')),
    occurredAt: readRecord(message).writtenAt,
    errorClass: exception?.split(':', 1)[0] ?? null,
    reason: exception ?? last('message'),
    stacktrace: last('stacktrace'),
  });
}
