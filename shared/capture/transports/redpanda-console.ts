import type { HeaderValue } from '../../events/event.ts';
import { isObject } from '../../json/parse-json.ts';
import { minify, sliceMembers } from '../../json/slice-json.ts';
import { describeContent } from '../cloud-event.ts';
import { toBigCount, toCount, toDateFromMillis } from '../column-values.ts';
import { toContent } from '../content.ts';
import { decodeBase64 } from '../decode-bytes.ts';
import { addHeader, toHeaderValue } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { isWholly } from '../wholly.ts';
import { readPath } from './value.ts';

/**
 * A Kafka record as Redpanda Console saves it: key, value and headers are `{"payload", "encoding", "size"}`,
 * with the bytes in `rawPayload` if the user asked for them. The topic is not in it, and may be in the path.
 * https://github.com/redpanda-data/console/blob/master/frontend/src/components/pages/topics/Tab.Messages/dialogs/save-messages-dialog.tsx
 */
export function readRedpandaRecord({
  json,
  body,
  path,
  headers: sent,
}: ParsedInbound): Message[] | undefined {
  if (!isWholly(json, recordNames) || !isPayload(json.value) || !Array.isArray(json.headers))
    return undefined;
  const [members] = sliceMembers(body.toString());
  const [partition, offset] = [toCount(json.partitionID), toBigCount(members?.get('offset'))];
  if (partition === null || offset === null) return undefined;
  const [key, value] = ['key', 'value'].map((name) => readPayload(json[name], members?.get(name)));
  const message: Message = {
    ...describeContent(toContent(value ?? Buffer.alloc(0)), readHeaders(json.headers, members), 'ce_'),
    facts: {
      // The console has decoded key and value, and printed them again.
      ...(json.value.rawPayload === undefined && { origin: 'bridge' as const }),
      // Of a record whose topic is unknown.
      deliveryId: `kafka:/${partition}/${offset}`,
      hasEmptyValue: value?.length === 0,
      sourceKind: 'kafka',
      sourceTopic: readPath(path).topic,
      sourcePartition: partition,
      sourceOffset: offset,
      ...(key && sourceKeyFromBytes(key)),
      occurredAt: toDateFromMillis(json.timestamp),
      traceId: findTraceId(sent.traceparent),
    },
  };
  return [message];
}

const recordNames = new Set([
  ...['partitionID', 'offset', 'timestamp', 'compression', 'isTransactional', 'headers', 'key', 'value'],
]);
const payloadNames = new Set([...['payload', 'rawPayload', 'encoding', 'isPayloadNull', 'schemaId', 'size']]);

function isPayload(value: unknown): value is Record<string, unknown> {
  return isWholly(value, payloadNames) && typeof value.encoding === 'string';
}

/** The bytes of a key, a value or a header. Null for a tombstone. */
function readPayload(json: unknown, source = ''): Buffer | null {
  if (!isPayload(json) || json.isPayloadNull === true || json.encoding === 'null') return null;
  if (typeof json.rawPayload === 'string')
    return decodeBase64(json.rawPayload) ?? Buffer.from(json.rawPayload);
  if (typeof json.payload === 'string' && json.encoding !== 'json') return Buffer.from(json.payload);
  const text = sliceMembers(source)[0]?.get('payload') ?? '';
  // The file is indented.
  return Buffer.from(Buffer.byteLength(text) === json.size ? text : minify(text));
}

function readHeaders(
  list: readonly unknown[],
  members: ReadonlyMap<string, string> | undefined,
): Record<string, HeaderValue> {
  const sources = sliceMembers(members?.get('headers') ?? '[]');
  // Without a prototype: a header can have the name "constructor".
  const headers: Record<string, HeaderValue> = Object.create(null);
  for (const [i, header] of list.entries()) {
    if (!isObject(header) || typeof header.key !== 'string') continue;
    const bytes = readPayload(header.value, sources[i]?.get('value')) ?? Buffer.alloc(0);
    addHeader(headers, header.key, toHeaderValue(bytes));
  }
  return headers;
}
