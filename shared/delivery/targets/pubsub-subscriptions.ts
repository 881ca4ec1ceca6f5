import { openPublisher } from './pubsub-publisher.ts';

/**
 * Lists the names of all subscriptions of a topic: each of them receives every published message. Returns undefined if
 * they cannot be listed: that takes the permission pubsub.topics.get, which publishing does not need.
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
