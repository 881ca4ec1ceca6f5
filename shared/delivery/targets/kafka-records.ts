import { type LeasedEvent, restoreKey } from '../leased-event.ts';
import { continueTrace, deliveryHeaders } from './delivery-headers.ts';
import type { Outgoing } from './limits.ts';
import { isAttribute, type KeyedHeaders, listBytes, listMessageHeaders } from './message-headers.ts';

/** A record without its value. A tombstone has none. */
export type KafkaRecord = {
  readonly key: Buffer | null;
  readonly isTombstone: boolean;
  readonly headers: readonly RecordHeader[];
};

/** The request by which a bridge writes one record, in a binary form that preserves bytes. */
type RecordRequest = { readonly contentType: string; readonly body: string };

/**
 * Returns the record as it was before it failed, with `dlo-event-id` and `dlo-attempt`. Its key decides the
 * partition.
 */
export function toRecord(event: Outgoing, attempt: number): KafkaRecord {
  const trace = continueTrace(event);
  return {
    key: restoreKey(event),
    isTombstone: event.payloadEncoding === 'none' && event.bodyBytes === 0,
    headers: [
      ...restoreRecordHeaders(event).filter(([name]) => !Object.hasOwn(trace, name)),
      ...Object.entries(trace).map(([name, value]) => [name, Buffer.from(value)] as const),
      ...deliveryHeaders(event, attempt).map(([name, value]) => [name, Buffer.from(value)] as const),
    ],
  };
}

/** Composes the request of each bridge. */
export const composeRecord: Readonly<
  Record<'strimzi' | 'confluent-v3', (record: KafkaRecord, value: Buffer) => RecordRequest>
> = { strimzi: composeForStrimzi, 'confluent-v3': composeForConfluentV3 };

/**
 * Strimzi's bridge rejects a null key, which must be omitted, and a record without a value. It reads a null
 * value as the base64 text `null`, three bytes instead of a tombstone: no tombstone comes here. It rejects an
 * empty header, which is omitted.
 * https://github.com/strimzi/strimzi-kafka-bridge/blob/main/src/main/java/io/strimzi/kafka/bridge/http/converter/HttpBinaryMessageConverter.java
 */
function composeForStrimzi({ key, headers }: KafkaRecord, value: Buffer): RecordRequest {
  const record = {
    ...(key && { key: toBase64(key) }),
    value: toBase64(value),
    headers: headers
      .filter(([, bytes]) => bytes.length > 0)
      .map(([name, bytes]) => ({ key: name, value: toBase64(bytes) })),
  };
  return {
    contentType: 'application/vnd.kafka.binary.v2+json',
    body: JSON.stringify({ records: [record] }),
  };
}

/**
 * Version 3 of Confluent's REST proxy: version 2 has no headers.
 * https://github.com/confluentinc/kafka-rest/blob/master/api/v3/openapi.yaml
 */
function composeForConfluentV3({ key, isTombstone, headers }: KafkaRecord, value: Buffer): RecordRequest {
  const record = {
    ...(key && { key: { type: 'BINARY', data: toBase64(key) } }),
    ...(!isTombstone && { value: { type: 'BINARY', data: toBase64(value) } }),
    headers: headers.map(([name, bytes]) => ({ name, value: toBase64(bytes) })),
  };
  return { contentType: 'application/json', body: JSON.stringify(record) };
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}

export type RecordHeader = readonly [name: string, value: Buffer];

/**
 * Returns the original message's headers as Kafka has them: bytes, with repeats in their order. A CloudEvent
 * is in binary mode, with the names of the Kafka binding (1.0.2, 3.2).
 */
export function restoreRecordHeaders(event: KeyedHeaders & Pick<LeasedEvent, 'contentType'>): RecordHeader[] {
  const isPlainCloudEvent = 'specversion' in event.headers;
  const isCloudEvent = isPlainCloudEvent || 'ce_specversion' in event.headers;
  const restored = listMessageHeaders(event, true)
    // The content type of a CloudEvent is the content-type header.
    .filter(([name]) => !(isCloudEvent && /^(ce_)?datacontenttype$/.test(name)))
    .flatMap(([name, value]) =>
      listBytes(value).map(
        (bytes) => [isPlainCloudEvent && isAttribute(name) ? `ce_${name}` : name, bytes] as const,
      ),
    );
  const hasContentType = restored.some(([name]) => /^content-type$/i.test(name));
  if (!isCloudEvent || hasContentType || event.contentType === null) return restored;
  return [...restored, ['content-type', Buffer.from(event.contentType)]];
}
