import { isObject } from '../../json/parse-json.ts';
import { minify, sliceMembers } from '../../json/slice-json.ts';
import { toBigCount, toCount, toDateFromMillis } from '../column-values.ts';
import { decodeBase64 } from '../decode-bytes.ts';
import { toHeaderValue } from '../header-values.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { isWholly } from '../wholly.ts';
import { groupHeaders, toKafkaMessage } from './kafka-message.ts';

/**
 * A Kafka record as Redpanda Console saves it: key, value and headers are `{"payload", "encoding", "size"}`,
 * with the bytes in `rawPayload` if the user asked for them. The topic is not in it, and may be in the path.
 * https://github.com/redpanda-data/console/blob/master/frontend/src/components/pages/topics/Tab.Messages/dialogs/save-messages-dialog.tsx
 */
export function readRedpandaRecord(request: ParsedInbound): Message[] | undefined {
  const { json, body } = request;
  if (!isWholly(json, recordNames) || !isPayload(json.value) || !Array.isArray(json.headers))
    return undefined;
  const [members] = sliceMembers(body.toString());
  const [partition, offset] = [toCount(json.partitionID), toBigCount(members?.get('offset'))];
  if (partition === null || offset === null) return undefined;
  const key = readPayload(json.key, members?.get('key'));
  return [
    toKafkaMessage(request, {
      ...{ topic: undefined, partition, offset },
      ...(key && sourceKeyFromBytes(key)),
      value: readPayload(json.value, members?.get('value')),
      headers: readHeaders(json.headers, members),
      occurredAt: toDateFromMillis(json.timestamp),
      isPrinted: json.value.rawPayload === undefined,
    }),
  ];
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

function readHeaders(list: readonly unknown[], members: ReadonlyMap<string, string> | undefined) {
  const sources = sliceMembers(members?.get('headers') ?? '[]');
  return groupHeaders(
    list.flatMap((header, i) => {
      if (!isObject(header) || typeof header.key !== 'string') return [];
      const bytes = readPayload(header.value, sources[i]?.get('value')) ?? Buffer.alloc(0);
      return [[header.key, toHeaderValue(bytes)] as const];
    }),
  );
}
