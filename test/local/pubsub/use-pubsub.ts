import { afterEach, beforeEach } from 'node:test';
import { type Message, PubSub, type Subscription, v1 } from '@google-cloud/pubsub';
import { type PubSubStandIn, startPubSub } from '../../../local/pubsub/start-pubsub.ts';

// Even a client of an emulator looks for credentials, and would ask a metadata server that is not there.
process.env.METADATA_SERVER_DETECTION = 'none';

type Running = { readonly standIn: PubSubStandIn; readonly client: PubSub; readonly subscriber: Subscriber };
type Subscriber = InstanceType<typeof v1.SubscriberClient>;

/** Gives every test a stand-in of its own, the official client, and the low-level client for single pulls. */
export function usePubSub(): () => Running {
  let running: Running | undefined;

  beforeEach(async () => {
    const standIn = await startPubSub();
    const client = new PubSub({ projectId: 'acme', apiEndpoint: standIn.host });
    const options = (await client.getClientConfig()) as ConstructorParameters<typeof v1.SubscriberClient>[0];
    running = { standIn, client, subscriber: new v1.SubscriberClient(options) };
  });

  afterEach(async () => {
    await running?.client.close();
    await running?.subscriber.close();
    await running?.standIn.stop();
  });

  return () => {
    if (!running) throw new Error('Only a test can use the stand-in.');
    return running;
  };
}

export const topicName = (id: string) => `projects/acme/topics/${id}`;
export const subscriptionName = (id: string) => `projects/acme/subscriptions/${id}`;

/**
 * Resolves with the first `count` messages of a stream, each given to `handle` as it arrives. Goes on listening:
 * the client closes a subscription that lost its last listener, and gives back what it holds.
 */
export function receive(
  subscription: Subscription,
  count: number,
  handle: (message: Message, count: number) => void,
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  return new Promise((resolve, reject) => {
    subscription.on('error', reject);
    subscription.on('message', (message) => {
      messages.push(message);
      handle(message, messages.length);
      if (messages.length === count) resolve(messages);
    });
  });
}
