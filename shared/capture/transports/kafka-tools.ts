import { isObject, printJson } from '../../json/parse-json.ts';
import { minify, sliceMembers } from '../../json/slice-json.ts';
import { toDate, toText } from '../column-values.ts';
import { decodeBase64 } from '../decode-bytes.ts';
import { type SingleValue, toHeaderValue } from '../header-values.ts';
import { isWholly } from '../wholly.ts';

/** What a bridge says of its records by its media type. */
type Form = 'json' | 'binary' | 'text' | 'connector';

/** Returns undefined for a value that the tool does not print. */
type ReadHeader = (
  value: unknown,
  text: string,
  of: { readonly form: Form; readonly name: string },
) => SingleValue | undefined;

/** How a tool prints a Kafka record: its members, and what key, value and headers are in them. */
export type Tool = {
  readonly name: string;
  /** Null: a record names none, and the path may. */
  readonly topic: string | null;
  readonly partition: string;
  readonly offset: string;
  readonly time: string;
  readonly key: string;
  readonly value: readonly string[];
  readonly headers: string;
  /** Further members that a record may have. */
  readonly others: readonly string[];
  readonly has: (record: Record<string, unknown>) => boolean;
  /** The bytes of a key or a value, which has this text. Null: a tombstone. */
  readonly read: (value: unknown, text: string, form: Form) => Buffer | null;
  readonly readHeader: ReadHeader;
  /** Whether the value was decoded, and printed again. */
  readonly isPrinted: (value: unknown, form: Form) => boolean;
};

export function findForm(contentType: string | undefined): Form {
  const [, form] = /^application\/vnd\.kafka\.(json|binary|text)\b/i.exec(contentType ?? '') ?? [];
  return (form?.toLowerCase() as Form | undefined) ?? 'connector';
}

/** In the `json` form the JSON text is the value. In the other forms a string is text, or base64 of bytes. */
function readText(value: unknown, text: string, form: Form): Buffer {
  if (typeof value !== 'string' || form === 'json') return Buffer.from(text);
  if (form === 'binary') return decodeBase64(value) ?? Buffer.from(value);
  // UTF-8 cannot encode a lone surrogate; its escape in the JSON text can be kept.
  return Buffer.from(value.isWellFormed() ? value : text);
}

/** A header without a value is kept as an empty one: the order of values of one name is significant. */
const readListedHeader: ReadHeader = (value, _, { form }) => {
  if ((value ?? null) === null) return '';
  if (typeof value !== 'string') return printJson(value);
  // The media type says that a bridge encoded the headers. Others print text, which may look like base64.
  const bytes = form === 'connector' ? undefined : decodeBase64(value);
  return bytes ? toHeaderValue(bytes) : value;
};

const readTextHeader: ReadHeader = (value) => {
  if (!isTextOrNull(value)) return undefined;
  return toHeaderValue(Buffer.from(value ?? ''));
};

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** The lengths of Spring's big-endian numbers, which Kafka UI prints in decimal. */
const numbers: readonly (readonly [names: RegExp, length: number])[] = [
  [/^(kafka_(dlt-)?original-|x-original-)partition$|^retry_topic-attempts$|^kafka_deliveryAttempt$/, 4],
  [/^(kafka_(dlt-)?original-|x-original-)(offset|timestamp)$/, 8],
];

const readNumberedHeader: ReadHeader = (value, _, { name }) => {
  if (!isTextOrNull(value)) return undefined;
  const length = numbers.find(([names]) => names.test(name))?.[1];
  if (length === undefined || !/^\d{1,18}$/.test(value ?? '')) return value ?? '';
  const hex = BigInt(value ?? '')
    .toString(16)
    .padStart(length * 2, '0');
  return hex.length === length * 2 ? { base64: Buffer.from(hex, 'hex').toString('base64') } : (value ?? '');
};

const payloadNames = new Set(['payload', 'rawPayload', 'encoding', 'isPayloadNull', 'schemaId', 'size']);

/**
 * Redpanda's `{"payload", "encoding", "size"}`, with the bytes in `rawPayload` if the user asked for them.
 */
function readPayload(json: unknown, source: string): Buffer | null {
  if (!isPayload(json) || json.isPayloadNull === true || json.encoding === 'null') return null;
  if (typeof json.rawPayload === 'string')
    return decodeBase64(json.rawPayload) ?? Buffer.from(json.rawPayload);
  if (typeof json.payload === 'string' && json.encoding !== 'json') return Buffer.from(json.payload);
  const text = sliceMembers(source)[0]?.get('payload') ?? '';
  // The file is indented.
  return Buffer.from(Buffer.byteLength(text) === json.size ? text : minify(text));
}

function isPayload(value: unknown): value is Record<string, unknown> {
  return isWholly(value, payloadNames) && typeof value.encoding === 'string';
}

const usual = { topic: 'topic', partition: 'partition', offset: 'offset', key: 'key', headers: 'headers' };
const kafkaUi = {
  name: 'kafka-ui',
  topic: null,
  read: readText,
  readHeader: readNumberedHeader,
  isPrinted: () => true,
};

/** In order of precedence. */
export const tools: readonly Tool[] = [
  {
    // Strimzi's bridge and Confluent's REST proxy, Confluent's sinks for functions (without headers), rpk and
    // AKHQ; kaf has `payload` for `value`, and a time. https://strimzi.io/docs/bridge/latest/
    // https://docs.confluent.io/kafka-connectors/gcp-functions/current/overview.html
    name: 'kafka-records',
    ...usual,
    time: 'timestamp',
    value: ['value', 'payload'],
    others: ['timestampType', 'keySchemaId', 'valueSchemaId', 'leader_epoch', 'size'],
    has: ({ headers, value, payload, timestamp }) =>
      (value !== undefined || (typeof payload === 'string' && toDate(timestamp) !== null)) &&
      ((headers ?? null) === null || (Array.isArray(headers) && headers.every(isObject))),
    read: readText,
    readHeader: readListedHeader,
    isPrinted: (_, form) => form === 'json',
  },
  {
    // `kcat -J`, one per line. It does not encode bytes that are no UTF-8: such a line is no JSON. With an
    // Avro schema it prints JSON. https://github.com/edenhill/kcat/blob/master/json.c
    name: 'kcat',
    ...usual,
    time: 'ts',
    value: ['payload'],
    others: ['tstype', 'broker', 'key_schema_id', 'value_schema_id'],
    has: ({ broker, key }) => typeof broker === 'number' && key !== undefined,
    read: readText,
    readHeader: readTextHeader,
    isPrinted: (value) => value !== null && typeof value !== 'string',
  },
  {
    // A file that Kafka UI saves. Key and value are the texts that a serde made of the bytes: only that of
    // strings prints them as they were.
    // https://github.com/kafbat/kafka-ui/blob/main/frontend/src/components/Topics/Topic/Messages/Message.tsx
    ...kafkaUi,
    partition: 'Partition',
    offset: 'Offset',
    time: 'Timestamp',
    key: 'Key',
    value: ['Value'],
    headers: 'Headers',
    others: [],
    has: ({ Value, Key = null, Timestamp }) =>
      isTextOrNull(Value) && isTextOrNull(Key) && toDate(Timestamp) !== null,
  },
  {
    // An answer of its API. Older releases named the value `content`; later ones add how the serdes read key
    // and value.
    // https://github.com/kafbat/kafka-ui/blob/main/api/src/main/java/io/kafbat/ui/serdes/ConsumerRecordDeserializer.java
    ...usual,
    ...kafkaUi,
    time: 'timestamp',
    value: ['value', 'content'],
    others: [
      'timestampType',
      ...['keyFormat', 'valueFormat', 'keySize', 'valueSize', 'headersSize', 'keySchemaId', 'valueSchemaId'],
      ...['keySerde', 'valueSerde', 'keyDeserializeProperties', 'valueDeserializeProperties'],
    ],
    has: ({ value, content = null, key = null, timestamp, timestampType }) =>
      isTextOrNull(value ?? content) &&
      isTextOrNull(key) &&
      toDate(timestamp) !== null &&
      /^(CREATE_TIME|LOG_APPEND_TIME|NO_TIMESTAMP_TYPE)$/.test(toText(timestampType) ?? ''),
  },
  {
    // Redpanda Console's file.
    // https://github.com/redpanda-data/console/blob/master/frontend/src/components/pages/topics/Tab.Messages/dialogs/save-messages-dialog.tsx
    name: 'redpanda-console',
    ...usual,
    topic: null,
    partition: 'partitionID',
    time: 'timestamp',
    value: ['value'],
    others: ['compression', 'isTransactional'],
    has: ({ value, headers }) => isPayload(value) && Array.isArray(headers),
    read: readPayload,
    readHeader: (value, text) => toHeaderValue(readPayload(value, text) ?? Buffer.alloc(0)),
    isPrinted: (value) => isObject(value) && value.rawPayload === undefined,
  },
];
