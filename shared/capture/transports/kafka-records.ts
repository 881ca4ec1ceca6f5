import { isObject, printJson } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toBigCount, toCount, toDate, toDateFromMillis, toText } from '../column-values.ts';
import { decodeBase64 } from '../decode-bytes.ts';
import { maxHeaders, toHeaderValue } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Facts, Message, ParsedInbound } from '../message.ts';
import { isWholly } from '../wholly.ts';
import { groupHeaders, toKafkaMessage } from './kafka-message.ts';

type Form = 'json' | 'binary' | 'text' | 'connector';
type Source = ReadonlyMap<string, string>;

/**
 * Kafka records as JSON, one or an array: `{"topic", "partition", "offset", "timestamp", "key", "value", "headers":
 * [{"key", "value": base64}]}`. Strimzi's bridge and Confluent's REST proxy consume in this form, Confluent's Google
 * and Azure Functions sinks send it without headers. The dead-letter format adds the failure.
 * https://strimzi.io/docs/bridge/latest/
 * https://docs.confluent.io/kafka-connectors/gcp-functions/current/overview.html
 */
export function readKafkaRecords(request: ParsedInbound): Message[] | undefined {
  const { headers, body, json } = request;
  const records: unknown[] = Array.isArray(json) ? json : [json];
  if (records.length === 0 || !records.every(isRecord)) return undefined;
  const form = findForm(headers['content-type']);
  const sources = sliceMembers(body.toString());
  return records.map((record, i) =>
    toKafkaMessage(request, readRecord(record, sources[i] ?? new Map(), form)),
  );
}

/** Of Strimzi, Confluent, rpk and AKHQ; kaf has `payload` for `value`, and a time. */
const recordNames = new Set([
  ...['topic', 'partition', 'offset', 'timestamp', 'timestampType', 'key', 'value', 'payload', 'headers'],
  ...['keySchemaId', 'valueSchemaId', 'leader_epoch', 'size'],
]);

function isRecord(record: unknown): record is Record<string, unknown> {
  if (!isWholly(record, recordNames)) return false;
  const { topic, partition, offset, headers, timestamp } = record;
  return (
    typeof topic === 'string' &&
    topic !== '' &&
    toCount(partition) !== null &&
    toBigCount(offset) !== null &&
    ('value' in record || (typeof record.payload === 'string' && toDate(timestamp) !== null)) &&
    (headers === undefined || headers === null || Array.isArray(headers))
  );
}

function findForm(contentType: string | undefined): Form {
  const [, form] = /^application\/vnd\.kafka\.(json|binary|text)\b/i.exec(contentType ?? '') ?? [];
  return (form?.toLowerCase() as Form | undefined) ?? 'connector';
}

function readRecord(record: Record<string, unknown>, source: Source, form: Form) {
  const { topic, partition, offset, timestamp, value = record.payload } = record;
  return {
    topic: toText(topic),
    partition: toCount(partition),
    // From the text: the parsed number may have lost its last digits.
    offset: toBigCount(source.get('offset')) ?? toBigCount(offset),
    ...readKey(record.key, source.get('key'), form),
    value: readValue(value, source.get('value') ?? source.get('payload'), form),
    headers: readHeaders(record.headers, form),
    occurredAt: toDateFromMillis(timestamp) ?? toDate(timestamp),
    isPrinted: form === 'json',
  };
}

/** In the `json` form the JSON text is the value. In the other forms a string is text, or base64 of bytes. */
function readValue(value: unknown, source: string | undefined, form: Form): Buffer | null {
  if (value === null || source === undefined) return null;
  if (typeof value !== 'string' || form === 'json') return Buffer.from(source);
  if (form === 'binary') return decodeBase64(value) ?? Buffer.from(value);
  // UTF-8 cannot encode a lone surrogate; its escape in the JSON text can be kept.
  return Buffer.from(value.isWellFormed() ? value : source);
}

function readKey(key: unknown, source: string | undefined, form: Form): Partial<Facts> {
  if (key === null || source === undefined) return {};
  if (typeof key !== 'string') return { sourceKey: source };
  const bytes = form === 'binary' || key === '' ? decodeBase64(key) : undefined;
  return bytes ? sourceKeyFromBytes(bytes) : { sourceKey: toText(key) };
}

function readHeaders(list: unknown, form: Form) {
  // One more shows that there are too many.
  const listed = Array.isArray(list) ? list.slice(0, maxHeaders + 1).filter(isObject) : [];
  return groupHeaders(
    listed.flatMap(({ key, name, value }) => {
      const own = key ?? name;
      return typeof own === 'string' ? [[own, readHeader(value, form)] as const] : [];
    }),
  );
}

/** A header without a value is kept as an empty one: the order of values of one name is significant. */
function readHeader(value: unknown, form: Form): string | { readonly base64: string } {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return printJson(value);
  // The media type says that a bridge encoded the headers. Others print text, which may look like base64.
  const bytes = form === 'connector' ? undefined : decodeBase64(value);
  return bytes ? toHeaderValue(bytes) : value;
}
