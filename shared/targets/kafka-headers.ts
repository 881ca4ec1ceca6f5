import type { HeaderValue, LeasedEvent } from '../events.ts';
import { restoreKey } from './restore-key.ts';

export type RecordHeader = readonly [name: string, value: Buffer];

/**
 * What was written about a failure and not by the producer. It stays here: a consumer that finds the count of its
 * own retries in a record would give it up at once, and a record that fails once more would have two of each. Who
 * fails again is known by `dlo-event-id`.
 */
const bookkeeping =
  /^(__(connect|streams|dlq)\.errors\.|kafka_(dlt|original|exception)-|kafka_deliveryAttempt$|retry_topic-|springDeserializerException|(dead-letter|delayed-retry)-|CloudPubSubDeadLetter|dlo-)/i;

/** Names that others use as well: they are bookkeeping only where the first ones stand together. */
const bookkeepingTogether: readonly (readonly [signs: readonly string[], names: RegExp])[] = [
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
  // Confluent's HTTP sink, whose error topic has the event itself in a header
  [
    ['input_record_topic'],
    /^(input_record_.*|error_message|exception|response_content|status_code|reason_phrase|url|payload)$/,
  ],
  // The Pub/Sub sink connector, of the record that it read
  [['kafka.topic'], /^kafka\.(topic|partition|offset|timestamp)$/],
];

/**
 * The headers of the original message as Kafka has them: bytes, repeats in their order. A CloudEvent is in binary
 * mode, with the names of the binding for Kafka (1.0.2, 3.2).
 */
export function restoreRecordHeaders(event: LeasedEvent): RecordHeader[] {
  const isPlainCloudEvent = 'specversion' in event.headers;
  const isCloudEvent = isPlainCloudEvent || 'ce_specversion' in event.headers;
  const isForeign = isBookkeepingOf(event);
  const restored = Object.entries(event.headers)
    // The content type of a CloudEvent has a header of its own.
    .filter(([name]) => !isForeign(name) && !(isCloudEvent && /^(ce_)?datacontenttype$/.test(name)))
    .flatMap(([name, value]) =>
      listBytes(value).map((bytes) => [isPlainCloudEvent ? `ce_${name}` : name, bytes] as const),
    );
  const hasContentType = restored.some(([name]) => /^content-type$/i.test(name));
  if (!isCloudEvent || hasContentType || event.content_type === null) return restored;
  return [...restored, ['content-type', Buffer.from(event.content_type)]];
}

function isBookkeepingOf(event: LeasedEvent): (name: string) => boolean {
  const { headers } = event;
  const key = restoreKey(event);
  const together = bookkeepingTogether
    .filter(([signs]) => signs.every((sign) => sign in headers))
    .map(([, names]) => names);
  return (name) =>
    bookkeeping.test(name) ||
    together.some((names) => names.test(name)) ||
    // The Pub/Sub sink connector has the record's key among the attributes.
    (name === 'key' && key !== null && listBytes(headers.key ?? '').every((bytes) => bytes.equals(key)));
}

function listBytes(value: HeaderValue): Buffer[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) =>
    typeof each === 'string' ? Buffer.from(each) : Buffer.from(each.base64, 'base64'),
  );
}
