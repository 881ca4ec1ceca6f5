import * as v from 'valibot';
import { type LeasedEvent, restoreKey } from '../leased-event.ts';
import {
  continueTrace,
  deliveryHeaders,
  type KeyedHeaders,
  listBytes,
  listMessageHeaders,
} from './message-headers.ts';
import { judge, type Outcome, reasonCodesOfStatus } from './outcome.ts';
import { judgeAnswer, post } from './post.ts';
import type { Answer } from './send-request.ts';
import { headersExcept, httpUrl, text } from './target-fields.ts';
import { dedicatedRoute, type Limit, type Outgoing, shorten, type TargetKind } from './target-kind.ts';

const bridge = {
  kind: v.literal('kafka-rest'),
  url: v.pipe(
    httpUrl,
    v.regex(/^[^?#]*$/, 'Must be the address of the bridge alone, without ? and #.'),
    v.transform((url) => url.replace(/\/+$/, '')),
  ),
  topic: v.pipe(
    v.string('Give the topic as text.'),
    v.regex(/^(?!\.{1,2}$)[\w.-]{1,249}$/, 'Must be the name of a topic: letters, digits, dots, - and _.'),
  ),
  audience: v.optional(text),
  headers: headersExcept('content-type'),
};

const schema = v.variant('flavor', [
  v.strictObject({ ...bridge, flavor: v.literal('strimzi') }),
  v.strictObject({
    ...bridge,
    flavor: v.literal('confluent-v3'),
    clusterId: v.pipe(
      v.string('Give the id of the cluster as text: GET /v3/clusters returns it.'),
      v.regex(/^[\w-]+$/, 'Must be the id of a cluster, as GET /v3/clusters returns it.'),
    ),
  }),
]);

export type KafkaRestTarget = v.InferOutput<typeof schema>;

export const kafkaRest: TargetKind<typeof schema> = {
  schema,
  nameOf: locateTopic,
  keepsOrder: true,
  compose(event, target, attempt) {
    const record = toRecord(event, attempt);
    const records = target.flavor === 'confluent-v3' ? '/records' : '';
    return {
      limits: target.flavor === 'strimzi' ? findStrimziLimits(record) : [],
      send: (value, timeoutSeconds) => {
        const { contentType, body: text } = composeRecord[target.flavor](record, value);
        const [url, body] = [locateTopic(target) + records, Buffer.from(text)];
        const headers = [...Object.entries(target.headers), ['content-type', contentType] as const];
        return post({ url, headers, audience: target.audience, body, timeoutSeconds }, judgeRecord);
      },
    };
  },
  reachOf: async () => ({
    advice: `Each record reaches every consumer group of the topic again, not only the one that failed. ${dedicatedRoute}`,
  }),
};

/** Strimzi's bridge (0.33.1, 1.1.0) requires a value and headers of at least one byte, in any notation. */
function findStrimziLimits({ isTombstone, headers }: KafkaRecord): Limit[] {
  const empty = new Set(headers.flatMap(([name, bytes]) => (bytes.length === 0 ? [name] : [])));
  const omitted = [...empty].map((name): Limit => {
    const part = `header ${shorten(name)}`;
    const detail = `The ${part} is empty and is omitted: Strimzi's bridge rejects it.`;
    return { effect: 'omitted', part, detail };
  });
  return isTombstone ? [tombstone, ...omitted] : omitted;
}

const tombstone: Limit = {
  effect: 'not-sent',
  part: 'value',
  detail: "The record has no value, and Strimzi's bridge cannot write a record without a value.",
};

function locateTopic({ url, topic, ...bridge }: KafkaRestTarget): string {
  const cluster = 'clusterId' in bridge ? `/v3/clusters/${bridge.clusterId}` : '';
  return `${url}${cluster}/topics/${topic}`;
}

/** A record without its value. A tombstone has none. */
export type KafkaRecord = {
  readonly key: Buffer | null;
  readonly isTombstone: boolean;
  readonly headers: readonly RecordHeader[];
};

type RecordRequest = { readonly contentType: string; readonly body: string };

/** The record as it was before it failed. Its key decides the partition. */
export function toRecord(event: Outgoing, attempt: number): KafkaRecord {
  const trace = continueTrace(event);
  return {
    key: restoreKey(event),
    isTombstone: event.payloadEncoding === 'none' && event.bodyBytes === 0,
    headers: [
      ...restoreRecordHeaders(event).filter(([name]) => !Object.hasOwn(trace, name)),
      ...Object.entries(trace).map(([name, value]) => [name, Buffer.from(value)] as const),
      ...deliveryHeaders(event, attempt).map(([name, value]) => [name, Buffer.from(value)] as const),
    ],
  };
}

export const composeRecord: Readonly<
  Record<'strimzi' | 'confluent-v3', (record: KafkaRecord, value: Buffer) => RecordRequest>
> = { strimzi: composeForStrimzi, 'confluent-v3': composeForConfluentV3 };

/**
 * Strimzi's bridge rejects a null key, which must be omitted, and a record without a value. It reads a null
 * value as the base64 text `null`, three bytes instead of a tombstone: no tombstone comes here. It rejects an
 * empty header, which is omitted.
 * https://github.com/strimzi/strimzi-kafka-bridge/blob/main/src/main/java/io/strimzi/kafka/bridge/http/converter/HttpBinaryMessageConverter.java
 */
function composeForStrimzi({ key, headers }: KafkaRecord, value: Buffer): RecordRequest {
  const record = {
    ...(key && { key: key.toString('base64') }),
    value: value.toString('base64'),
    headers: headers
      .filter(([, bytes]) => bytes.length > 0)
      .map(([name, bytes]) => ({ key: name, value: bytes.toString('base64') })),
  };
  return {
    contentType: 'application/vnd.kafka.binary.v2+json',
    body: JSON.stringify({ records: [record] }),
  };
}

/**
 * Version 3 of Confluent's REST proxy: version 2 has no headers.
 * https://github.com/confluentinc/kafka-rest/blob/master/api/v3/openapi.yaml
 */
function composeForConfluentV3({ key, isTombstone, headers }: KafkaRecord, value: Buffer): RecordRequest {
  const record = {
    ...(key && { key: { type: 'BINARY', data: key.toString('base64') } }),
    ...(!isTombstone && { value: { type: 'BINARY', data: value.toString('base64') } }),
    headers: headers.map(([name, bytes]) => ({ name, value: bytes.toString('base64') })),
  };
  return { contentType: 'application/json', body: JSON.stringify(record) };
}

export type RecordHeader = readonly [name: string, value: Buffer];

/** Bytes, with repeats in their order. A CloudEvent is in binary mode (Kafka binding 1.0.2, 3.2). */
export function restoreRecordHeaders(event: KeyedHeaders & Pick<LeasedEvent, 'contentType'>): RecordHeader[] {
  const restored = listMessageHeaders(event, true).flatMap(({ name, value, attribute }): RecordHeader[] => {
    // The content type of a CloudEvent is the content-type header.
    if (attribute === 'datacontenttype') return [];
    return listBytes(value).map((bytes) => [attribute === undefined ? name : `ce_${attribute}`, bytes]);
  });
  const isCloudEvent = restored.some(([name]) => name === 'ce_specversion');
  const hasContentType = restored.some(([name]) => /^content-type$/i.test(name));
  if (!isCloudEvent || hasContentType || event.contentType === null) return restored;
  return [...restored, ['content-type', Buffer.from(event.contentType)]];
}

const report = {
  error_code: v.nullish(v.number()),
  offset: v.nullish(v.number()),
  error: v.nullish(v.string()),
  message: v.nullish(v.string()),
};
/** The report is the first of `offsets` from Strimzi, and the whole answer from Confluent. */
const AnswerSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ ...report, offsets: v.optional(v.tuple([v.object(report)])) }),
);

/** A bridge answers 200 to a request that it could parse; the body reports whether Kafka has the record. */
function judgeRecord(answer: Answer): Outcome {
  const outcome = judgeAnswer(answer);
  if (outcome.kind !== 'delivered') return outcome;
  const { success, output } = v.safeParse(AnswerSchema, answer.text);
  const { error_code: code, offset, error, message } = success ? (output.offsets?.[0] ?? output) : {};
  const hasCode = typeof code === 'number';
  if (!hasCode && typeof offset !== 'number') {
    return {
      ...outcome,
      ...judge(['unanswered']),
      error: 'The answer does not say that the record was written.',
    };
  }
  // An error code begins with the HTTP status of its kind: 404 and 500 (Strimzi), 40403 for a missing topic,
  // 42206, 429001, 50002 and 50003 for records that Kafka rejected (Confluent). Success in version 3 is 200.
  const judged = hasCode ? judge(reasonCodesOfStatus(Number(String(code).slice(0, 3)))) : outcome;
  return judged.kind === 'delivered'
    ? outcome
    : { ...outcome, ...judged, error: `error ${code}: ${error ?? message ?? 'no reason given'}` };
}
