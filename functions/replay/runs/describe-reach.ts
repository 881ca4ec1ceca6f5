import type { Target } from '../../../shared/routes.ts';
import { listSubscriptions } from '../../../shared/targets/pubsub-subscriptions.ts';

/** Who gets an event that is sent to a target: of a topic all that subscribe to it. */
export type Reach = {
  /** How many subscriptions a topic has; null where that cannot be asked. */
  readonly subscriptions?: number | null;
  readonly advice?: string;
};

/** Says how many consumers a redelivery reaches, where it may be more than the one that failed. */
export async function describeReach(target: Target): Promise<Reach> {
  if (target.kind === 'http') return {};
  if (target.kind === 'kafka-rest') return { advice: everyGroup };
  const names = await listSubscriptions(target.topic);
  if (names === undefined) return { subscriptions: null, advice: unknownReach };
  if (names.length === 0) return { subscriptions: 0, advice: nobody };
  if (names.length === 1) return { subscriptions: 1 };
  return {
    subscriptions: names.length,
    advice: `Each event reaches all ${names.length} subscriptions again, not only the one that failed. ${safer}`,
  };
}

const safer =
  'Safer: a route to the HTTP endpoint of the consumer that failed, named as "target" of the replay, or a topic of its own with a single subscription.';
const unknownReach = `Each event reaches every subscription of the topic; how many there are could not be asked (it takes pubsub.topics.get). ${safer}`;
const nobody =
  'The topic has no subscription: nobody would get these events, though they would count as delivered.';
const everyGroup = `Each record reaches every consumer group of the topic again, not only the one that failed. ${safer}`;
