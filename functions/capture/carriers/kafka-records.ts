import type { HeaderValue } from '../../../shared/events.ts';
import { parseCloudEvent } from '../cloudevent-json.ts';
import { addHeader, firstFact, type Headers, toHeaderValue } from '../header-value.ts';
import { sliceMembers } from '../json-source.ts';
import { keyFromBytes } from '../kafka-record.ts';
import type { Facts, Inbound, Message } from '../message.ts';
import {
  decodeBase64,
  findTraceId,
  isObject,
  parseBody,
  printJson,
  toCount,
  toFact,
  toMoment,
  toMomentOfMillis,
  toOffset,
} from '../text.ts';

type Form = 'json' | 'binary' | 'text' | 'connector';
type Source = ReadonlyMap<string, string>;

/**
 * Kafka records as JSON, one or an array: `{"topic", "partition", "offset", "timestamp", "key", "value", "headers":
 * [{"key", "value": base64}]}`. Strimzi's bridge and Confluent's REST proxy consume in this form, Confluent's Google
 * and Azure Functions sinks send it without headers. What failed is for the families to find.
 * https://strimzi.io/docs/bridge/latest/
 * https://docs.confluent.io/kafka-connectors/gcp-functions/current/overview.html
 */
export function readKafkaRecords({ headers, body }: Inbound): Message[] | undefined {
  const json = parseBody(body);
  const records: unknown[] = Array.isArray(json) ? json : [json];
  if (records.length === 0 || !records.every(isRecord)) return undefined;
  const form = findForm(headers['content-type']);
  const sources = sliceMembers(body.toString('utf8'));
  return records.map((record, i) => {
    const message = toMessage(record, sources[i] ?? new Map(), form);
    const traceId = findTraceId(headers.traceparent);
    return { ...message, facts: { ...message.facts, traceId } };
  });
}

function isRecord(record: unknown): record is Record<string, unknown> {
  if (!isObject(record)) return false;
  const { topic, partition, offset, headers } = record;
  return (
    typeof topic === 'string' &&
    topic !== '' &&
    toCount(partition) !== null &&
    toOffset(offset) !== null &&
    'value' in record &&
    (headers === undefined || headers === null || Array.isArray(headers))
  );
}

function findForm(contentType: string | undefined): Form {
  const [, form] = /^application\/vnd\.kafka\.(json|binary|text)\b/i.exec(contentType ?? '') ?? [];
  return (form?.toLowerCase() as Form | undefined) ?? 'connector';
}

function toMessage(record: Record<string, unknown>, source: Source, form: Form): Message {
  const { topic, partition, offset, timestamp } = record;
  const body = readBytes(record.value, source.get('value'), form);
  return {
    ...unwrapCloudEvent(body, readHeaders(record.headers)),
    facts: {
      sourceKind: 'kafka',
      sourceTopic: toFact(topic),
      sourcePartition: toCount(partition),
      // As it was written: a number may have lost its last digits.
      sourceOffset: toOffset(source.get('offset')) ?? toOffset(offset),
      ...readKey(record.key, source.get('key'), form),
      occurredAt: toMomentOfMillis(timestamp) ?? toMoment(timestamp),
    },
  };
}

/** An event in structured mode becomes the same event in binary mode, as it does when it comes through Pub/Sub. */
function unwrapCloudEvent(body: Buffer, headers: Headers): Omit<Message, 'facts'> {
  const event = parseCloudEvent(body);
  if (!event) return { body, contentType: firstFact(headers['content-type']), headers };
  const { 'content-type': _, ...others } = headers;
  const own = Object.entries(event.attributes).map(([name, value]) => [`ce_${name}`, value]);
  return {
    body: event.data,
    contentType: event.contentType,
    headers: { ...others, ...Object.fromEntries(own) },
  };
}

/** JSON of the `json` form is what the record held. In the other forms a string stands for bytes or for its text. */
function readBytes(value: unknown, source: string | undefined, form: Form): Buffer {
  if (value === null || source === undefined) return Buffer.alloc(0);
  if (typeof value !== 'string' || form === 'json') return Buffer.from(source);
  if (form === 'binary') return decodeBase64(value) ?? Buffer.from(value);
  // A lone surrogate has no bytes in UTF-8; as an escape in JSON it has.
  return Buffer.from(value.isWellFormed() ? value : source);
}

function readKey(key: unknown, source: string | undefined, form: Form): Partial<Facts> {
  if (key === null || source === undefined) return {};
  if (typeof key !== 'string') return { sourceKey: source };
  const bytes = form === 'binary' || key === '' ? decodeBase64(key) : undefined;
  return bytes ? keyFromBytes(bytes) : { sourceKey: toFact(key) };
}

function readHeaders(list: unknown): Record<string, HeaderValue> {
  // Without a prototype: a header may be called "constructor".
  const headers: Record<string, HeaderValue> = Object.create(null);
  for (const header of Array.isArray(list) ? list.filter(isObject) : []) {
    const name = header.key ?? header.name;
    if (typeof name === 'string') addHeader(headers, name, readHeader(header.value));
  }
  return headers;
}

/** A header without a value is kept as an empty one, so that it keeps its place among others of its name. */
function readHeader(value: unknown): string | { readonly base64: string } {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return printJson(value);
  const bytes = decodeBase64(value);
  return bytes ? toHeaderValue(bytes) : value;
}
