import { judge, type Outcome } from './outcome.ts';
import { composeAttributes } from './pubsub-attributes.ts';
import { openPublisher } from './pubsub-publisher.ts';
import { reasonCodesOfGrpcStatus } from './reason-codes.ts';
import type { Delivery } from './target-kind.ts';

/**
 * Publishes the exact body with the original attributes and ordering key. Never throws: every failure is an
 * outcome. One request per event, without the client's batching: Pub/Sub rejects a whole request for one bad
 * message in it, and the client's queues fail every message that follows a failed one of its key.
 */
export async function deliverByPubSub(delivery: Delivery<{ readonly topic: string }>): Promise<Outcome> {
  const { event, body, target, attempt, timeoutSeconds } = delivery;
  const message = { data: body, ...composeAttributes(event, attempt) };
  let isOpen = false;
  try {
    const publisher = await openPublisher();
    isOpen = true;
    const [{ messageIds }] = await publisher.publish(
      { topic: target.topic, messages: [message] },
      // Without the client's retries, which continue for ten minutes whatever the timeout.
      { timeout: timeoutSeconds * 1000, retry: { retryCodes: [] } },
    );
    return { kind: 'delivered', responseBody: `message ${messageIds?.[0]}` };
  } catch (error) {
    return judgeError(error, isOpen);
  }
}

function judgeError(error: unknown, isOpen: boolean): Outcome {
  const errorCode = error instanceof Error && 'code' in error ? error.code : undefined;
  const code = typeof errorCode === 'number' ? errorCode : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    ...judge(isOpen ? reasonCodesOfGrpcStatus(code) : ['unsent']),
    error: message,
    ...(code === undefined ? {} : { responseStatus: code }),
  };
}

/**
 * Lists the names of all subscriptions of a topic: each of them receives every published message. Returns
 * undefined if they cannot be listed: that takes the permission pubsub.topics.get, which publishing does not
 * need.
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
