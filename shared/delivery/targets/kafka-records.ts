import { type LeasedEvent, restoreKey } from '../leased-event.ts';
import { continueTrace } from './continue-trace.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { type RecordHeader, restoreRecordHeaders } from './kafka-headers.ts';
import type { KafkaRestBridge } from './kafka-rest-bridge.ts';

export type KafkaRecord = {
  readonly key: Buffer | null;
  /** Null is a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
};

/** The request by which a bridge writes one record, in a binary form that preserves bytes. */
type RecordRequest = { readonly contentType: string; readonly body: string };

/**
 * Returns the record as it was before it failed, with `dlo-event-id` and `dlo-attempt`. Its key decides the
 * partition.
 */
export function toRecord(event: LeasedEvent, body: Buffer, attempt: number): KafkaRecord {
  const trace = continueTrace(event);
  const isTombstone = event.payloadEncoding === 'none' && body.length === 0;
  return {
    key: restoreKey(event),
    value: isTombstone ? null : body,
    headers: [
      ...restoreRecordHeaders(event).filter(([name]) => !Object.hasOwn(trace, name)),
      ...Object.entries(trace).map(([name, value]) => [name, Buffer.from(value)] as const),
      ...deliveryHeaders(event, attempt).map(([name, value]) => [name, Buffer.from(value)] as const),
    ],
  };
}

/** Composes the request of each bridge; undefined if the bridge cannot write such a record. */
export const composeRecord: Record<
  KafkaRestBridge['flavor'],
  (record: KafkaRecord) => RecordRequest | undefined
> = {
  strimzi: composeForStrimzi,
  'confluent-v3': composeForConfluentV3,
};

/**
 * Strimzi's bridge rejects a null key, which must be omitted, and a record without a value. It reads a null
 * value as the base64 text `null`, three bytes instead of a tombstone, so that no tombstone is sent. It
 * rejects an empty header, which is omitted.
 * https://github.com/strimzi/strimzi-kafka-bridge/blob/main/src/main/java/io/strimzi/kafka/bridge/http/converter/HttpBinaryMessageConverter.java
 */
function composeForStrimzi({ key, value, headers }: KafkaRecord): RecordRequest | undefined {
  if (value === null) return undefined;
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
function composeForConfluentV3({ key, value, headers }: KafkaRecord): RecordRequest {
  const record = {
    ...(key && { key: { type: 'BINARY', data: toBase64(key) } }),
    ...(value && { value: { type: 'BINARY', data: toBase64(value) } }),
    headers: headers.map(([name, bytes]) => ({ name, value: toBase64(bytes) })),
  };
  return { contentType: 'application/json', body: JSON.stringify(record) };
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}
