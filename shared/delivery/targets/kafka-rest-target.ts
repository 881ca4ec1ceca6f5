import * as v from 'valibot';
import { composeRecord, type KafkaRecord, toRecord } from './kafka-records.ts';
import { type Limit, type Outgoing, shorten } from './limits.ts';
import { judge, type Outcome } from './outcome.ts';
import { judgeAnswer, post } from './post.ts';
import { reasonCodesOfStatus } from './reason-codes.ts';
import type { Answer } from './send-request.ts';
import { headersExcept, httpUrl, text } from './target-fields.ts';
import { type Composed, dedicatedRoute, type TargetKind } from './target-kind.ts';

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

/** A Kafka REST bridge: the original key, headers and value. */
export const kafkaRest: TargetKind<typeof schema> = {
  schema,
  nameOf: locateTopic,
  keepsOrder: true,
  compose,
  reachOf: async () => ({
    advice: `Each record reaches every consumer group of the topic again, not only the one that failed. ${dedicatedRoute}`,
  }),
};

/** Composes the original record, for the bridge to write: its key, its headers and its exact bytes. */
function compose(event: Outgoing, target: KafkaRestTarget, attempt: number): Composed {
  const record = toRecord(event, attempt);
  const records = target.flavor === 'confluent-v3' ? '/records' : '';
  return {
    limits: target.flavor === 'strimzi' ? findStrimziLimits(record) : [],
    send: (value, timeoutSeconds) => {
      const { contentType, body } = composeRecord[target.flavor](record, value);
      const request = {
        url: locateTopic(target) + records,
        target,
        messageHeaders: [],
        deliveryHeaders: [['content-type', contentType]] as const,
        body: Buffer.from(body),
        timeoutSeconds,
      };
      return post(request, judgeRecord);
    },
  };
}

/**
 * Returns the parts of a record that Strimzi's bridge cannot write: it requires a value, and headers of at
 * least one byte, and rejects every spelling of none (versions 0.33.1 and 1.1.0).
 */
function findStrimziLimits({ isTombstone, headers }: KafkaRecord): Limit[] {
  const empty = headers.filter(([, bytes]) => bytes.length === 0);
  return [
    ...(isTombstone ? [tombstone] : []),
    ...[...new Set(empty.map(([name]) => name))].map((name): Limit => {
      const part = `header ${shorten(name)}`;
      return {
        effect: 'omitted',
        part,
        detail: `The ${part} is empty and is omitted: Strimzi's bridge rejects it.`,
      };
    }),
  ];
}

const tombstone: Limit = {
  effect: 'not-sent',
  part: 'value',
  detail: "The record has no value, and Strimzi's bridge cannot write a record without a value.",
};

/** Returns the URL of the topic on its bridge. */
function locateTopic({ url, topic, ...bridge }: KafkaRestTarget): string {
  const cluster = 'clusterId' in bridge ? `/v3/clusters/${bridge.clusterId}` : '';
  return `${url}${cluster}/topics/${topic}`;
}

const ReportSchema = v.object({
  error_code: v.nullish(v.number()),
  offset: v.nullish(v.number()),
  error: v.nullish(v.string()),
  message: v.nullish(v.string()),
});
/** The report is the first of `offsets` from Strimzi, and the whole answer from Confluent. */
const AnswerSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.pipe(
      v.object({ offsets: v.tuple([ReportSchema]) }),
      v.transform(({ offsets: [report] }) => report),
    ),
    ReportSchema,
  ]),
);

/** A bridge answers 200 to a request that it could parse; the body reports whether Kafka has the record. */
function judgeRecord(answer: Answer): Outcome {
  const outcome = judgeAnswer(answer);
  if (outcome.kind !== 'delivered') return outcome;
  const { success, output } = v.safeParse(AnswerSchema, answer.text);
  const { error_code: code, offset, error, message } = success ? output : {};
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
