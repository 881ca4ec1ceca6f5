import * as v from 'valibot';
import { countBytes, type Limit, type Outgoing, shorten } from './limits.ts';
import { composeAttributes } from './pubsub-attributes.ts';
import { dedicatedRoute, type Reach, type TargetKind } from './target-kind.ts';

const schema = v.strictObject({
  kind: v.literal('pubsub'),
  topic: v.pipe(
    v.string('Give the topic as text.'),
    v.regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'Must look like projects/PROJECT/topics/TOPIC.'),
  ),
});

export type PubSubTarget = v.InferOutput<typeof schema>;

/** A Pub/Sub topic: the original body, attributes and ordering key. */
export const pubSub: TargetKind<typeof schema> = {
  schema,
  nameOf: ({ topic }) => topic,
  keepsOrder: true,
  limitsOf: findPubSubLimits,
  deliver: async (delivery) => (await import('./pubsub.ts')).deliverByPubSub(delivery),
  reachOf,
};

/** Counts the subscriptions of the topic: each of them receives every redelivery. */
async function reachOf({ topic }: PubSubTarget): Promise<Reach> {
  const { listSubscriptions } = await import('./pubsub.ts');
  const names = await listSubscriptions(topic);
  if (names === undefined) {
    return {
      subscriptions: null,
      advice: `Each event reaches every subscription of the topic; they could not be counted (it takes pubsub.topics.get). ${dedicatedRoute}`,
    };
  }
  if (names.length === 0) {
    return {
      subscriptions: 0,
      advice: 'The topic has no subscription: no consumer gets these events, but they count as delivered.',
    };
  }
  if (names.length === 1) return { subscriptions: 1 };
  return {
    subscriptions: names.length,
    advice: `Each event reaches all ${names.length} subscriptions again, not only the one that failed. ${dedicatedRoute}`,
  };
}

// https://docs.cloud.google.com/pubsub/quotas#resource_limits
const maxAttributes = 100;
const maxNameBytes = 256;
const maxValueBytes = 1024;
const maxMessageBytes = 10 * 2 ** 20;

/** Returns what Pub/Sub rejects of a message. It then rejects all of it. */
function findPubSubLimits(message: Outgoing): Limit[] {
  const { attributes, orderingKey } = composeAttributes(message, 1);
  const entries = Object.entries(attributes);
  const bytes = [orderingKey, ...entries.flat()].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    message.bodyBytes,
  );
  return [
    ...entries.flatMap(([name, value]) => checkAttribute(name, value)),
    ...(entries.length > maxAttributes
      ? [limit('attributes', `It would have ${entries.length} attributes`, `up to ${maxAttributes}`)]
      : []),
    ...(bytes > maxMessageBytes
      ? [limit('message', `It has ${countBytes(bytes)}`, `up to ${countBytes(maxMessageBytes)}`)]
      : []),
  ];
}

function checkAttribute(name: string, value: string): Limit[] {
  const part = `attribute ${shorten(name)}`;
  const [nameBytes, valueBytes] = [Buffer.byteLength(name), Buffer.byteLength(value)];
  if (nameBytes === 0) return [limit('attribute without a name', 'An attribute has no name', 'names only')];
  return [
    ...(nameBytes > maxNameBytes
      ? [limit(part, `The name of the ${part} has ${countBytes(nameBytes)}`, `up to ${maxNameBytes}`)]
      : []),
    ...(valueBytes > maxValueBytes
      ? [limit(part, `The ${part} has ${countBytes(valueBytes)}`, `up to ${countBytes(maxValueBytes)}`)]
      : []),
  ];
}

function limit(part: string, what: string, allowed: string): Limit {
  return { effect: 'not-sent', part, detail: `${what}; Pub/Sub accepts ${allowed}.` };
}
