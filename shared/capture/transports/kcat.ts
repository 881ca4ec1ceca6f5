import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { describeContent } from '../cloud-event.ts';
import { toBigCount, toCount, toDateFromMillis } from '../column-values.ts';
import { toContent } from '../content.ts';
import { addEnvelope } from '../formats/object-failure.ts';
import { addHeader, toHeaderValue } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { isWholly } from '../wholly.ts';

/**
 * A Kafka record as `kcat -J` prints it, one per line: `{"topic", "partition", "offset", "tstype", "ts", "broker",
 * "headers", "key", "payload"}`. Headers are names and values in turn, or arrays of values by name. Texts are those of the
 * record: kcat does not encode bytes that are no UTF-8, and such a line is no JSON. A record that it could not decode is
 * kept as printed.
 * https://github.com/edenhill/kcat/blob/master/json.c
 */
export function readKcatRecord(request: ParsedInbound): Message[] | undefined {
  const { json, body } = request;
  if (!isWholly(json, names) || !('payload' in json) || !('key' in json)) return undefined;
  if (typeof json.topic !== 'string' || typeof json.broker !== 'number') return undefined;
  const [members] = sliceMembers(body.toString());
  // From the text: the parsed number may have lost its last digits.
  const [partition, offset] = [toCount(json.partition), toBigCount(members?.get('offset'))];
  const headers = readHeaders(json.headers);
  if (partition === null || offset === null || headers === undefined) return undefined;
  const key = readText(json.key, members?.get('key'));
  const content = toContent(readText(json.payload, members?.get('payload')) ?? Buffer.alloc(0));
  const message: Message = {
    ...describeContent(content, headers, 'ce_'),
    facts: {
      ...(isPrinted(json.payload) && { origin: 'bridge' as const }),
      hasEmptyValue: json.payload === '',
      sourceKind: 'kafka',
      sourceTopic: json.topic,
      sourcePartition: partition,
      sourceOffset: offset,
      ...(key && sourceKeyFromBytes(key)),
      occurredAt: toDateFromMillis(json.ts),
      traceId: findTraceId(request.headers.traceparent),
      metadata: addEnvelope(
        null,
        schemas.flatMap((name) => (name in json ? [[name, json[name]] as const] : [])),
      ),
    },
  };
  return [message];
}

const names = new Set([
  ...['topic', 'partition', 'offset', 'tstype', 'ts', 'broker', 'headers', 'key', 'payload'],
  ...['key_schema_id', 'value_schema_id'],
]);

const schemas = ['key_schema_id', 'value_schema_id'];

/** Whether kcat printed a value as JSON, by its Avro schema. */
function isPrinted(value: unknown): boolean {
  return value !== null && typeof value !== 'string';
}

/** With an Avro schema kcat prints JSON, which is kept as written; else the text of the record. */
function readText(value: unknown, source: string | undefined): Buffer | undefined {
  if (value === null || source === undefined) return undefined;
  return Buffer.from(typeof value === 'string' && value.isWellFormed() ? value : source);
}

/** The headers, or undefined if they have another form. A record without headers has no such member. */
function readHeaders(list: unknown): Record<string, HeaderValue> | undefined {
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, HeaderValue> = Object.create(null);
  for (const [name, value] of listPairs(list)) {
    if (typeof name !== 'string' || !(typeof value === 'string' || value === null)) return undefined;
    addHeader(headers, name, toHeaderValue(Buffer.from(value ?? '')));
  }
  return headers;
}

function listPairs(list: unknown): (readonly [name: unknown, value: unknown])[] {
  if (Array.isArray(list))
    return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]] as const] : []));
  if (!isObject(list)) return [];
  return Object.entries(list).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [undefined]).map((value) => [name, value] as const),
  );
}
