import * as v from 'valibot';
import { findPubSubLimits } from './pubsub-limits.ts';
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
