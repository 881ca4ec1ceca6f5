import type { HeaderValue } from '../../events/event.ts';
import { isObject, printJson } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { describeContent } from '../cloud-event.ts';
import { toBigCount, toCount, toDate, toDateFromMillis, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { decodeBase64 } from '../decode-bytes.ts';
import { addHeader, maxHeaders, toHeaderValue } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Facts, Message, ParsedInbound } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { isWholly } from '../wholly.ts';

type Form = 'json' | 'binary' | 'text' | 'connector';
type Source = ReadonlyMap<string, string>;

/**
 * Kafka records as JSON, one or an array: `{"topic", "partition", "offset", "timestamp", "key", "value", "headers":
 * [{"key", "value": base64}]}`. Strimzi's bridge and Confluent's REST proxy consume in this form, Confluent's Google
 * and Azure Functions sinks send it without headers. The dead-letter format adds the failure.
 * https://strimzi.io/docs/bridge/latest/
 * https://docs.confluent.io/kafka-connectors/gcp-functions/current/overview.html
 */
export function readKafkaRecords({ headers, body, json }: ParsedInbound): Message[] | undefined {
  const records: unknown[] = Array.isArray(json) ? json : [json];
  if (records.length === 0 || !records.every(isRecord)) return undefined;
  const form = findForm(headers['content-type']);
  const sources = sliceMembers(body.toString());
  return records.map((record, i) => {
    const message = toMessage(record, sources[i] ?? new Map(), form);
    const traceId = findTraceId(headers.traceparent);
    return { ...message, facts: { ...message.facts, traceId } };
  });
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

function toMessage(record: Record<string, unknown>, source: Source, form: Form): Message {
  const { topic, partition, offset, timestamp, value = record.payload } = record;
  const content = toContent(readValue(value, source.get('value') ?? source.get('payload'), form));
  const headers = readHeaders(record.headers, form);
  return {
    ...describeContent(content, headers, 'ce_'),
    facts: {
      sourceKind: 'kafka',
      sourceTopic: toText(topic),
      sourcePartition: toCount(partition),
      // From the text: the parsed number may have lost its last digits.
      sourceOffset: toBigCount(source.get('offset')) ?? toBigCount(offset),
      ...readKey(record.key, source.get('key'), form),
      occurredAt: toDateFromMillis(timestamp) ?? toDate(timestamp),
      hasEmptyValue: value !== null && content.body.length === 0,
      // The bridge has parsed key and value, and printed them again: 1.50 became 1.5.
      ...(form === 'json' && { origin: 'bridge' as const }),
    },
  };
}

/** In the `json` form the JSON text is the value. In the other forms a string is text, or base64 of bytes. */
function readValue(value: unknown, source: string | undefined, form: Form): Buffer {
  if (value === null || source === undefined) return Buffer.alloc(0);
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

function readHeaders(list: unknown, form: Form): Record<string, HeaderValue> {
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, HeaderValue> = Object.create(null);
  // One more shows that there are too many.
  const listed = Array.isArray(list) ? list.slice(0, maxHeaders + 1) : [];
  for (const header of listed.filter(isObject)) {
    const name = header.key ?? header.name;
    if (typeof name === 'string') addHeader(headers, name, readHeader(header.value, form));
  }
  return headers;
}

/** A header without a value is kept as an empty one: the order of values of one name is significant. */
function readHeader(value: unknown, form: Form): string | { readonly base64: string } {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return printJson(value);
  // The media type says that a bridge encoded the headers. Others print text, which may look like base64.
  const bytes = form === 'connector' ? undefined : decodeBase64(value);
  return bytes ? toHeaderValue(bytes) : value;
}
