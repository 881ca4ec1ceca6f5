import type { LeasedEvent } from '../events.ts';
import type { KafkaRestTarget } from '../routes.ts';
import { continueTrace } from './continue-trace.ts';
import { type RecordHeader, restoreRecordHeaders } from './kafka-headers.ts';
import { restoreKey } from './restore-key.ts';

export type KafkaRecord = {
  readonly key: Buffer | null;
  /** Null is a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
};

/** What a bridge is sent to write one record, in a form in which the bytes stay as they are. */
export type RecordRequest = { readonly contentType: string; readonly body: string };

/** The record as it was before it failed, with our own two headers. Its partition is left to its key. */
export function toRecord(event: LeasedEvent, body: Buffer, attempt: number): KafkaRecord {
  const trace = continueTrace(event);
  const isTombstone = event.payload_encoding === 'none' && body.length === 0;
  return {
    key: restoreKey(event),
    value: isTombstone ? null : body,
    headers: [
      ...restoreRecordHeaders(event).filter(([name]) => !Object.hasOwn(trace, name)),
      ...Object.entries(trace).map(([name, value]) => [name, Buffer.from(value)] as const),
      ['dlo-event-id', Buffer.from(event.id)],
      ['dlo-attempt', Buffer.from(String(attempt))],
    ],
  };
}

/** How each kind of bridge is told a record, or undefined where it cannot write such a one. */
export const composeRecord: Record<
  KafkaRestTarget['flavor'],
  (record: KafkaRecord) => RecordRequest | undefined
> = {
  strimzi: composeForStrimzi,
  'confluent-v2': composeForConfluentV2,
  'confluent-v3': composeForConfluentV3,
};

/**
 * Strimzi's bridge refuses a null key, which has to be left out, and a record without a value. A null value it takes,
 * for the base64 `null`: three bytes in place of a tombstone, so none is sent.
 * https://github.com/strimzi/strimzi-kafka-bridge/blob/main/src/main/java/io/strimzi/kafka/bridge/http/converter/HttpBinaryMessageConverter.java
 */
function composeForStrimzi({ key, value, headers }: KafkaRecord): RecordRequest | undefined {
  if (value === null) return undefined;
  const record = {
    ...(key && { key: toBase64(key) }),
    value: toBase64(value),
    headers: headers.map(([name, bytes]) => ({ key: name, value: toBase64(bytes) })),
  };
  return composeV2(record);
}

/**
 * Version 2 of Confluent's REST proxy knows no headers: they are lost, `dlo-event-id` with them, so that a second
 * failure is a new event.
 * https://github.com/confluentinc/kafka-rest/tree/master/kafka-rest/src/main/java/io/confluent/kafkarest/entities/v2
 */
function composeForConfluentV2({ key, value }: KafkaRecord): RecordRequest {
  return composeV2({ key: key && toBase64(key), value: value && toBase64(value) });
}

/** https://github.com/confluentinc/kafka-rest/blob/master/api/v3/openapi.yaml */
function composeForConfluentV3({ key, value, headers }: KafkaRecord): RecordRequest {
  const record = {
    ...(key && { key: { type: 'BINARY', data: toBase64(key) } }),
    ...(value && { value: { type: 'BINARY', data: toBase64(value) } }),
    headers: headers.map(([name, bytes]) => ({ name, value: toBase64(bytes) })),
  };
  return { contentType: 'application/json', body: JSON.stringify(record) };
}

function composeV2(record: object): RecordRequest {
  return {
    contentType: 'application/vnd.kafka.binary.v2+json',
    body: JSON.stringify({ records: [record] }),
  };
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}
