import { before, beforeEach } from 'node:test';
import { PubSub } from '@google-cloud/pubsub';
import { lend } from './lend.ts';
import { type PubSubStandIn, startPubSub } from './pubsub/start-pubsub.ts';

export type PubSubTarget = Pick<PubSubStandIn, 'failNext'> & {
  /** A topic for each test alone. */
  readonly topic: string;
  /** Everything that was published to it, in order. */
  messages(): ReturnType<PubSubStandIn['messages']>;
};

let topics = 0;

/**
 * The publishing client of the product, which a process keeps, stays with the first stand-in that it finds.
 */
const useStandIn = lend<{ standIn: PubSubStandIn; client: PubSub }>({
  make: async () => {
    const standIn = await startPubSub();
    return { standIn, client: new PubSub({ projectId: 'acme', apiEndpoint: standIn.host }) };
  },
  restore: async () => true,
  close: async ({ standIn, client }) => {
    await client.close();
    await standIn.stop();
  },
});

/** A Pub/Sub on loopback, which is found as an emulator is. */
export function usePubSubTarget(): () => PubSubTarget {
  const running = useStandIn();
  let target: PubSubTarget | undefined;
  before(() => {
    process.env.PUBSUB_EMULATOR_HOST = running().standIn.host;
    // Even a client of an emulator looks for credentials, and would ask a metadata server that is not there.
    process.env.METADATA_SERVER_DETECTION = 'none';
  });
  beforeEach(async () => {
    const { standIn, client } = running();
    topics += 1;
    const topic = `projects/acme/topics/orders-${topics}`;
    await client.createTopic(topic);
    target = { topic, failNext: standIn.failNext, messages: () => standIn.messages(topic) };
  });
  return () => {
    if (!target) throw new Error('Pub/Sub is there only while tests run.');
    return target;
  };
}
