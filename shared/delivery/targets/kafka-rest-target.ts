import * as v from 'valibot';
import { restoreRecordHeaders } from './kafka-headers.ts';
import { type KafkaRestBridge, locateTopic } from './kafka-rest-bridge.ts';
import { type Limit, type Outgoing, shorten } from './limits.ts';
import { headersExcept, httpUrl, text } from './target-fields.ts';
import { dedicatedRoute, type TargetKind } from './target-kind.ts';

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
  limitsOf: (message, { flavor }) => findRecordLimits(message, flavor),
  deliver: async (delivery) => (await import('./kafka-rest.ts')).deliverByKafkaRest(delivery),
  reachOf: async () => ({
    advice: `Each record reaches every consumer group of the topic again, not only the one that failed. ${dedicatedRoute}`,
  }),
};

/**
 * Returns what a bridge cannot write of a record. Strimzi's requires a value, and headers of at least one
 * byte: it rejects every spelling of none (versions 0.33.1 and 1.1.0).
 */
function findRecordLimits(message: Outgoing, flavor: KafkaRestBridge['flavor']): Limit[] {
  if (flavor !== 'strimzi') return [];
  const isTombstone = message.payloadEncoding === 'none' && message.bodyBytes === 0;
  const empty = restoreRecordHeaders(message).filter(([, bytes]) => bytes.length === 0);
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
  detail: "The record has no value, and Strimzi's bridge cannot write one without.",
};
