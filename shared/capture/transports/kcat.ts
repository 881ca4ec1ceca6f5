import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toBigCount, toCount, toDateFromMillis } from '../column-values.ts';
import { addEnvelope } from '../formats/object-failure.ts';
import { toHeaderValue } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { isWholly } from '../wholly.ts';
import { groupHeaders, toKafkaMessage } from './kafka-message.ts';

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
  const envelope = schemas.flatMap((name) => (name in json ? [[name, json[name]] as const] : []));
  return [
    toKafkaMessage(request, {
      ...{ topic: json.topic, partition, offset, headers },
      ...(key && sourceKeyFromBytes(key)),
      value: readText(json.payload, members?.get('payload')),
      occurredAt: toDateFromMillis(json.ts),
      metadata: addEnvelope(null, envelope),
      // With an Avro schema kcat prints JSON.
      isPrinted: json.payload !== null && typeof json.payload !== 'string',
    }),
  ];
}

const names = new Set([
  ...['topic', 'partition', 'offset', 'tstype', 'ts', 'broker', 'headers', 'key', 'payload'],
  ...['key_schema_id', 'value_schema_id'],
]);

const schemas = ['key_schema_id', 'value_schema_id'];

/** With an Avro schema kcat prints JSON, which is kept as written; else the text of the record. */
function readText(value: unknown, source: string | undefined): Buffer | null {
  if (value === null || source === undefined) return null;
  return Buffer.from(typeof value === 'string' && value.isWellFormed() ? value : source);
}

/** The headers, or undefined if they have another form. A record without headers has no such member. */
function readHeaders(list: unknown) {
  const pairs = listPairs(list);
  if (!pairs.every(isHeader)) return undefined;
  return groupHeaders(pairs.map(([name, value]) => [name, toHeaderValue(Buffer.from(value ?? ''))]));
}

function isHeader(pair: readonly unknown[]): pair is readonly [string, string | null] {
  const [name, value] = pair;
  return typeof name === 'string' && (typeof value === 'string' || value === null);
}

function listPairs(list: unknown): (readonly [name: unknown, value: unknown])[] {
  if (Array.isArray(list))
    return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]] as const] : []));
  if (!isObject(list)) return [];
  return Object.entries(list).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [undefined]).map((value) => [name, value] as const),
  );
}
