import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toBigCount, toCount, toDate, toText } from '../column-values.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { isWholly } from '../wholly.ts';
import { toKafkaMessage } from './kafka-message.ts';

/** The members of a file that Kafka UI saves. Its API has the same names in lower case, among others. */
const names = ['Value', 'Offset', 'Key', 'Partition', 'Headers', 'Timestamp'];

/**
 * A Kafka record as Kafka UI saves it, `{"Value", "Offset", "Key", "Partition", "Headers", "Timestamp"}`, or as its API
 * returns it, with a `timestampType`. The topic is not in it, and may be in the path. Key and value are the texts that a
 * serde made of the bytes: only that of strings prints them as they were.
 * https://github.com/kafbat/kafka-ui/blob/main/frontend/src/components/Topics/Topic/Messages/Message.tsx
 * https://github.com/kafbat/kafka-ui/blob/main/api/src/main/java/io/kafbat/ui/serdes/ConsumerRecordDeserializer.java
 */
export function readKafkaUiRecord(request: ParsedInbound): Message[] | undefined {
  const { json, body } = request;
  if (!isObject(json)) return undefined;
  const isSaved = 'Offset' in json && Object.keys(json).every((name) => names.includes(name));
  if (!isSaved && !isWholly(json, apiNames)) return undefined;
  if (!isSaved && !timestampType.test(toText(json.timestampType) ?? '')) return undefined;
  const name = (saved: string) => (isSaved ? saved : saved.toLowerCase());
  // Older releases named the value `content`.
  const [value, key] = [json[name('Value')] ?? json.content ?? null, json[name('Key')] ?? null];
  if (!isTextOrNull(value) || !isTextOrNull(key)) return undefined;
  const headers = readHeaders(json[name('Headers')] ?? {});
  const [partition, occurredAt] = [toCount(json[name('Partition')]), toDate(json[name('Timestamp')])];
  const offset = toBigCount(sliceMembers(body.toString())[0]?.get(name('Offset')));
  if (partition === null || occurredAt === null || offset === null || !headers) return undefined;
  const record = { topic: undefined, partition, offset, headers, occurredAt, isPrinted: true };
  const sourceKey = toText(key);
  return [
    toKafkaMessage(request, { ...record, sourceKey, value: value === null ? null : Buffer.from(value) }),
  ];
}

/** Later releases add how the serdes read key and value. */
const apiNames = new Set([
  ...['partition', 'offset', 'timestamp', 'timestampType', 'key', 'value', 'content', 'headers'],
  ...['keyFormat', 'valueFormat', 'keySize', 'valueSize', 'headersSize', 'keySchemaId', 'valueSchemaId'],
  ...['keySerde', 'valueSerde', 'keyDeserializeProperties', 'valueDeserializeProperties'],
]);

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

const timestampType = /^(CREATE_TIME|LOG_APPEND_TIME|NO_TIMESTAMP_TYPE)$/;

/** The lengths of Spring's big-endian numbers, which Kafka UI prints in decimal. */
const numbers: Readonly<Record<string, number>> = {
  'kafka_dlt-original-partition': 4,
  'kafka_dlt-original-offset': 8,
  'kafka_dlt-original-timestamp': 8,
  'kafka_original-partition': 4,
  'kafka_original-offset': 8,
  'kafka_original-timestamp': 8,
  'x-original-partition': 4,
  'x-original-offset': 8,
  'x-original-timestamp': 8,
  'retry_topic-attempts': 4,
  kafka_deliveryAttempt: 4,
};

function readHeaders(json: unknown): Record<string, HeaderValue> | undefined {
  if (!isObject(json)) return undefined;
  const entries = Object.entries(json);
  if (!entries.every(([, value]) => isTextOrNull(value))) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, restoreNumber(name, String(value ?? ''))]));
}

function restoreNumber(name: string, text: string): HeaderValue {
  const length = numbers[name];
  if (length === undefined || !/^\d{1,18}$/.test(text)) return text;
  const bytes = Buffer.from(
    BigInt(text)
      .toString(16)
      .padStart(length * 2, '0'),
    'hex',
  );
  return bytes.length === length ? { base64: bytes.toString('base64') } : text;
}
