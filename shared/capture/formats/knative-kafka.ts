import type { HeaderValue } from '../../events/event.ts';
import type { Format } from '../../message/formats/format.ts';
import { kafkaFormats } from '../../message/formats/kafka.ts';
import { hasHeader } from '../header-values.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Capture, Facts, Message } from '../message.ts';
import type { CompiledFormat } from './compile-format.ts';
import { readText } from './conversions.ts';
import { addEnvelope } from './object-failure.ts';
import { listAttribute, type Opened } from './places.ts';

const extension = /^(ce[-_])?kafkaheader/;

/**
 * A Kafka record that Knative's KafkaSource made a CloudEvent of. It writes each header as an extension, with
 * only the letters and digits of its name, in lower case: the names of the headers that Kafka's formats name
 * are restored. The coordinates are in the CloudEvent's id and source.
 */
export function readKnativeKafka(
  _: CompiledFormat,
  opened: Opened,
  readAs: (record: Message) => Partial<Capture> | undefined,
): Partial<Capture> | undefined {
  const { message } = opened;
  if (!hasHeader(message.headers, extension)) return undefined;
  const facts = readAs(toRecord(opened));
  if (!facts) return undefined;
  const headers = Object.entries(message.headers);
  return {
    ...facts,
    headers: Object.fromEntries(headers.filter(([name]) => !isOfFailure(name))),
    metadata: addEnvelope(
      message.facts.metadata,
      // The stack trace is the longest, and in a column.
      headers.filter(([name]) => isOfFailure(name) && !name.endsWith('stacktrace')),
    ),
  };
}

/** The record as it was. */
function toRecord(opened: Opened): Message {
  const { message } = opened;
  const attribute = (name: string) => readText(listAttribute(opened, name).at(-1));
  const [, partition, offset] = /^partition:(\d+)\/offset:(\d+)$/.exec(attribute('id') ?? '') ?? [];
  const source = attribute('source') ?? '';
  const position = toKafkaPosition(source.slice(source.indexOf('#') + 1), partition, offset);
  const headers = Object.entries(message.headers)
    .filter(([name]) => extension.test(name))
    .map(([name, value]): [string, HeaderValue] => {
      const squashed = name.replace(extension, '');
      return [known.get(squashed) ?? squashed, value];
    });
  const facts: Partial<Facts> = {
    sourceKind: 'kafka',
    sourceTopic: position.topic,
    sourcePartition: position.partition,
    sourceOffset: position.offset,
    sourceKey: attribute('key'),
    traceId: message.facts.traceId ?? null,
    occurredAt: message.facts.occurredAt ?? null,
  };
  return { ...message, headers: Object.fromEntries(headers), facts };
}

function squash(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

/** What the function of Spring's format reads. */
const springCounts = ['header:retry_topic-attempts', 'header:kafka_deliveryAttempt'];

/** The names of headers that the formats of Kafka read, by what is left of them. */
const known = new Map(kafkaFormats.flatMap(listNames).map((name) => [squash(name), name]));

function listNames({ under = '', position, error, facts = {}, metadata = {} }: Format): string[] {
  return [
    ...(position ?? []),
    ...(error ?? []),
    ...Object.values(facts),
    ...Object.values(metadata),
    ...springCounts,
  ]
    .flatMap((places) => [places ?? []].flat())
    .flatMap((places) => places.split(' | '))
    .map((place) => (place.includes(':') ? place : under + place).replace(/ as .*/, ''))
    .flatMap((place) => (/^header:./.test(place) ? [place.slice('header:'.length)] : []));
}

const ofFailure =
  /^(connecterrors|streamserrors|dlqerrors|kafka(dlt|original|exception|deliveryattempt)|retrytopic|deadletter|delayedretry|xoriginal|xexception)/;

function isOfFailure(name: string): boolean {
  return extension.test(name) && ofFailure.test(name.replace(extension, ''));
}
