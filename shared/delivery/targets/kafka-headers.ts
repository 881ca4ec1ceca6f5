import type { HeaderValue } from '../../events/event.ts';
import { type LeasedEvent, restoreKey } from '../leased-event.ts';

export type RecordHeader = readonly [name: string, value: Buffer];

/**
 * Headers that describe the failure and were not written by the producer. They are not sent: a consumer that finds its
 * own retry count in a record would stop retrying at once, and a record that fails again would carry two of each. A
 * recurrence is recognised by `dlo-event-id`.
 */
const bookkeeping =
  /^(__(connect|streams|dlq)\.errors\.|kafka_(dlt|original|exception)-|kafka_deliveryAttempt$|retry_topic-|springDeserializerException|(dead-letter|delayed-retry)-|CloudPubSubDeadLetter|dlo-)/i;

/** Header names with other uses too: they are bookkeeping only if a record has all of the `markers`. */
const markedBookkeeping: readonly (readonly [markers: readonly string[], names: RegExp])[] = [
  // Spring Cloud Stream
  [
    ['x-original-topic'],
    /^x-(original-(topic|partition|offset|timestamp(-type)?)|exception-(fqcn|message|stacktrace))$/,
  ],
  // Karafka
  [
    ['source_topic', 'source_partition', 'source_offset'],
    /^source_(topic|partition|offset|consumer_group|attempts|trace_id)$/,
  ],
  // Wolverine
  [
    ['exception-type', 'failed-at'],
    /^(exception-(type|message|stack)|failed-at|original-(destination|partition|offset)|attempts)$/,
  ],
  // Confluent's HTTP sink: its error topic has the event itself in a header
  [
    ['input_record_topic'],
    /^(input_record_.*|error_message|exception|response_content|status_code|reason_phrase|url|payload)$/,
  ],
  // The Pub/Sub sink connector: the position of the record that it read
  [['kafka.topic'], /^kafka\.(topic|partition|offset|timestamp)$/],
];

/**
 * Returns the original message's headers as Kafka has them: bytes, with repeats in their order. A CloudEvent is in binary
 * mode, with the names of the Kafka binding (1.0.2, 3.2).
 */
export function restoreRecordHeaders(event: LeasedEvent): RecordHeader[] {
  const isPlainCloudEvent = 'specversion' in event.headers;
  const isCloudEvent = isPlainCloudEvent || 'ce_specversion' in event.headers;
  const isForeign = isBookkeepingOf(event);
  const restored = Object.entries(event.headers)
    // The content type of a CloudEvent is the content-type header.
    .filter(([name]) => !isForeign(name) && !(isCloudEvent && /^(ce_)?datacontenttype$/.test(name)))
    .flatMap(([name, value]) =>
      listBytes(value).map((bytes) => [isPlainCloudEvent ? `ce_${name}` : name, bytes] as const),
    );
  const hasContentType = restored.some(([name]) => /^content-type$/i.test(name));
  if (!isCloudEvent || hasContentType || event.contentType === null) return restored;
  return [...restored, ['content-type', Buffer.from(event.contentType)]];
}

function isBookkeepingOf(event: LeasedEvent): (name: string) => boolean {
  const { headers } = event;
  const key = restoreKey(event);
  const marked = markedBookkeeping
    .filter(([markers]) => markers.every((name) => name in headers))
    .map(([, names]) => names);
  return (name) =>
    bookkeeping.test(name) ||
    marked.some((names) => names.test(name)) ||
    // The Pub/Sub sink connector adds the record's key to the attributes.
    (name === 'key' && key !== null && listBytes(headers.key ?? '').every((bytes) => bytes.equals(key)));
}

function listBytes(value: HeaderValue): Buffer[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) =>
    typeof each === 'string' ? Buffer.from(each) : Buffer.from(each.base64, 'base64'),
  );
}
