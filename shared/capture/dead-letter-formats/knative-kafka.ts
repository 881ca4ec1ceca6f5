import type { HeaderValue } from '../../events/event.ts';
import { readCloudEventAttribute } from '../cloud-event.ts';
import { toText } from '../column-values.ts';
import { addEnvelope } from '../failed-message.ts';
import { hasHeader } from '../header-values.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { DeadLetterFormat, Facts, Message } from '../message.ts';
import { readKafkaConnect } from './kafka-connect.ts';
import { readKafkaShareGroup } from './kafka-share-group.ts';
import { readKafkaStreams } from './kafka-streams.ts';
import { readSmallRye } from './smallrye.ts';
import { readSpringCloudStream } from './spring-cloud-stream.ts';
import { readSpringKafka } from './spring-kafka.ts';

const extension = /^(ce[-_])?kafkaheader/;

/**
 * A dead letter of Kafka Connect, Spring, Kafka Streams, a share group or SmallRye that Knative's KafkaSource made a
 * CloudEvent of. It writes each header as an extension, with only the letters and digits of its name, in lower case: the
 * names of those formats are restored. The record's coordinates are in the CloudEvent's id and source.
 * https://github.com/knative-extensions/eventing-kafka-broker/blob/main/data-plane/dispatcher/src/main/java/dev/knative/eventing/kafka/broker/dispatcher/impl/consumer/InvalidCloudEventInterceptor.java
 */
export const readKnativeKafka: DeadLetterFormat = (message) => {
  if (!hasHeader(message.headers, extension)) return undefined;
  const record = toRecord(message);
  const facts = record && readFirst(record);
  if (!facts) return undefined;
  const headers = Object.entries(message.headers);
  return {
    ...facts,
    headers: Object.fromEntries(headers.filter(([name]) => !isRestored(name))),
    metadata: addEnvelope(
      message.facts.metadata,
      // The stack trace is the longest, and in a column.
      headers.filter(([name]) => isRestored(name) && !name.endsWith('stacktrace')),
    ),
  };
};

/** The facts by the first format that recognizes the record. */
function readFirst(record: Message): Partial<Facts> | undefined {
  return (
    readKafkaConnect(record) ??
    readSpringKafka(record) ??
    readSpringCloudStream(record) ??
    readKafkaStreams(record) ??
    readKafkaShareGroup(record) ??
    readSmallRye(record)
  );
}

/** The Kafka record as it was, or undefined for a CloudEvent with other coordinates. */
function toRecord(message: Message): Message | undefined {
  const attribute = (name: string) => readCloudEventAttribute(message, name);
  const [, partition, offset] = /^partition:(\d+)\/offset:(\d+)$/.exec(attribute('id') ?? '') ?? [];
  const source = attribute('source') ?? '';
  const topic = source.includes('#') ? toText(source.slice(source.indexOf('#') + 1)) : null;
  const position = toKafkaPosition(topic, partition, offset);
  if (position.topic === null || position.partition === null || position.offset === null) return undefined;
  const headers = Object.entries(message.headers)
    .filter(([name]) => extension.test(name))
    .map(([name, value]): [string, HeaderValue] => [restoreName(name), value]);
  const { traceId, occurredAt } = message.facts;
  const facts: Partial<Facts> = {
    sourceKind: 'kafka',
    sourceTopic: position.topic,
    sourcePartition: position.partition,
    sourceOffset: position.offset,
    sourceKey: toText(attribute('key')),
    traceId: traceId ?? null,
    occurredAt: occurredAt ?? null,
  };
  return { ...message, headers: Object.fromEntries(headers), facts };
}

function restoreName(name: string): string {
  const squashed = name.replace(extension, '');
  return known.get(squashed) ?? squashed;
}

function isRestored(name: string): boolean {
  return extension.test(name) && known.has(name.replace(extension, ''));
}

const position = ['topic', 'partition', 'offset'];
const springError = [
  ...['exception-fqcn', 'exception-cause-fqcn', 'exception-message', 'exception-stacktrace'],
  ...['key-exception-fqcn', 'key-exception-message', 'key-exception-stacktrace'],
];
const springOrigin = ['original-topic', 'original-partition', 'original-offset', 'original-timestamp'];
const names = {
  '__connect.errors.': [
    ...[...position, 'connector.name', 'task.id', 'stage', 'class.name'],
    ...['exception.class.name', 'exception.message', 'exception.stacktrace'],
  ],
  '__streams.errors.': [...position, 'exception', 'message', 'stacktrace'],
  'kafka_dlt-': [...springError, ...springOrigin, 'original-timestamp-type', 'original-consumer-group'],
  kafka_: [...springError, ...springOrigin, 'original-timestamp-type', 'deliveryAttempt'],
  'x-': [...springError, ...springOrigin],
  '__dlq.errors.': [...position, 'group', 'delivery.count', 'message'],
  'dead-letter-': [...position, 'reason', 'cause', 'exception-class-name', 'cause-class-name'],
  'retry_topic-': ['attempts', 'original-timestamp', 'backoff-timestamp'],
};

/** Header names of dead-letter formats, by what is left of them. */
const known = new Map(
  Object.entries(names)
    .flatMap(([prefix, ends]) => ends.map((end) => `${prefix}${end}`))
    .map((name) => [name.toLowerCase().replace(/[^a-z\d]/g, ''), name]),
);
