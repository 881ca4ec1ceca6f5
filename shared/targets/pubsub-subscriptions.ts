import { openPublisher } from '../pubsub-publisher.ts';

/**
 * The names of all subscriptions of a topic: each of them gets what is published there. Undefined where that cannot be
 * asked: it takes the right pubsub.topics.get, which publishing does not need.
 */
export async function listSubscriptions(topic: string): Promise<readonly string[] | undefined> {
  try {
    const publisher = await openPublisher();
    const [subscriptions] = await publisher.listTopicSubscriptions(
      { topic },
      { timeout: 5000, maxResults: 1000, retry: { retryCodes: [] } },
    );
    return subscriptions;
  } catch {
    return undefined;
  }
}
