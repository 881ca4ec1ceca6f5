import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import type { HeaderValue } from '../../message/event.ts';
import { describeContent } from '../cloud-event.ts';
import { findTraceId, toBigCount, toCount, toDate, toDateFromMillis, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { addHeader, maxHeaders } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Message, ParsedInbound, Transport } from '../message.ts';
import { addNotes } from '../notes.ts';
import { isWholly } from '../wholly.ts';
import { findForm, type Tool, tools } from './kafka-tools.ts';
import { readPath } from './value.ts';

type Source = ReadonlyMap<string, string>;

/** A tool with the names of all members that a record of it may have. */
type KnownTool = Tool & { readonly names: ReadonlySet<string> };

const known = tools.map((tool): KnownTool => {
  const { topic, partition, offset, time, key, value, headers, others } = tool;
  return {
    ...tool,
    names: new Set([topic ?? '', partition, offset, time, key, ...value, headers, ...others]),
  };
});

/** Readers of Kafka records as JSON, one or an array, by the name of the tool that printed them. */
export const kafkaTransports = [...new Set(known.map(({ name }) => name))].map((name) => {
  const own = known.filter((tool) => tool.name === name);
  const read: Transport = (request) => own.map((tool) => readRecords(tool, request)).find((found) => found);
  return [name, read] as const;
});

function readRecords(tool: KnownTool, request: ParsedInbound): Message[] | undefined {
  const { json } = request;
  const records: unknown[] = Array.isArray(json) ? json : [json];
  if (records.length === 0 || !records.every((record) => isRecord(tool, record))) return undefined;
  const sources = sliceMembers(request.body.toString());
  const messages = records.map((record, i) =>
    readRecord(tool, request, { record: record as Record<string, unknown>, source: sources[i] ?? new Map() }),
  );
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function isRecord(tool: KnownTool, record: unknown): boolean {
  if (!isWholly(record, tool.names) || !tool.value.some((name) => name in record)) return false;
  const { [tool.topic ?? '']: topic, [tool.partition]: partition, [tool.offset]: offset } = record;
  const isPlaced = toCount(partition) !== null && toBigCount(offset) !== null;
  return isPlaced && (tool.topic === null || toText(topic) !== null) && tool.has(record);
}

type Printed = { readonly record: Readonly<Record<string, unknown>>; readonly source: Source };

function readRecord(
  tool: KnownTool,
  request: ParsedInbound,
  { record, source }: Printed,
): Message | undefined {
  const form = findForm(request.headers['content-type']);
  const read = (name: string) => {
    const [value = null, text = ''] = [record[name], source.get(name)];
    return value === null
      ? null
      : tool.read(value, text, name === tool.key && form === 'json' ? 'text' : form);
  };
  const name = tool.value.find((each) => each in record) ?? '';
  const [value, key, headers] = [read(name), read(tool.key), readHeaders(tool, request, { record, source })];
  if (!headers) return undefined;
  const topic = tool.topic === null ? undefined : toText(record[tool.topic]);
  // From the text: the parsed number may have lost its last digits.
  const offset = toBigCount(source.get(tool.offset)) ?? toBigCount(record[tool.offset]);
  const [partition, time] = [toCount(record[tool.partition]), record[tool.time]];
  const schemas = Object.entries(record).filter(([each, id]) => /schema_?id$/i.test(each) && id !== null);
  return {
    ...describeContent(toContent(value ?? Buffer.alloc(0)), headers, 'ce_'),
    facts: {
      // Printed again: 1.50 became 1.5.
      ...(tool.isPrinted(record[name], form) && { origin: 'bridge' as const }),
      // Without a topic it has no event key.
      ...(topic === undefined && { deliveryId: `kafka:/${partition}/${offset}` }),
      hasEmptyValue: value?.length === 0,
      sourceKind: 'kafka',
      sourceTopic: topic === undefined ? readPath(request.path).topic : topic,
      sourcePartition: partition,
      sourceOffset: offset,
      ...(key && sourceKeyFromBytes(key)),
      traceId: findTraceId(request.headers.traceparent),
      occurredAt: toDateFromMillis(time) ?? toDate(time),
      metadata: addNotes(null, { envelope: Object.fromEntries(schemas) }),
    },
  };
}

/** The headers, of which one may have several values, or undefined if they have another form. */
function readHeaders(tool: KnownTool, request: ParsedInbound, { record, source }: Printed) {
  const form = findForm(request.headers['content-type']);
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, HeaderValue> = Object.create(null);
  for (const { name, value, text } of listPairs(record[tool.headers] ?? [], source.get(tool.headers))) {
    const read = tool.readHeader(value, text, { form, name: `${name}` });
    if (typeof name !== 'string' || read === undefined) return undefined;
    addHeader(headers, name, read);
  }
  return headers;
}

type Pair = { readonly name: unknown; readonly value: unknown; readonly text: string };

/** Headers as objects in a list, as names and values in turn, or as values by name. */
function listPairs(headers: unknown, source = '[]'): Pair[] {
  if (isObject(headers)) {
    return Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => ({ name, value, text: '' })),
    );
  }
  // One more shows that there are too many.
  const list = Array.isArray(headers) ? headers.slice(0, maxHeaders + 1) : [];
  if (!list.every(isObject)) {
    return list.flatMap((name, i) => (i % 2 === 0 ? [{ name, value: list[i + 1], text: '' }] : []));
  }
  const sources = sliceMembers(source);
  return list.map(({ key, name, value }, i) => ({
    name: key ?? name,
    value,
    text: sources[i]?.get('value') ?? '',
  }));
}
