import { after, before, beforeEach } from 'node:test';
import { PubSub } from '@google-cloud/pubsub';
import { type PubSubStandIn, startPubSub } from './pubsub/start-pubsub.ts';

export type PubSubTarget = Pick<PubSubStandIn, 'failNext'> & {
  /** A topic for each test alone. */
  readonly topic: string;
  /** Everything that was published to it, in order. */
  messages(): ReturnType<PubSubStandIn['messages']>;
};

/** A Pub/Sub on loopback, which is found as an emulator is. */
export function usePubSubTarget(): () => PubSubTarget {
  let running: { standIn: PubSubStandIn; client: PubSub } | undefined;
  let target: PubSubTarget | undefined;
  let topics = 0;
  before(async () => {
    const standIn = await startPubSub();
    process.env.PUBSUB_EMULATOR_HOST = standIn.host;
    // Even a client of an emulator looks for credentials, and would ask a metadata server that is not there.
    process.env.METADATA_SERVER_DETECTION = 'none';
    running = { standIn, client: new PubSub({ projectId: 'acme' }) };
  });
  beforeEach(async () => {
    if (!running) return;
    topics += 1;
    const { standIn, client } = running;
    const topic = `projects/acme/topics/orders-${topics}`;
    await client.createTopic(topic);
    target = { topic, failNext: standIn.failNext, messages: () => standIn.messages(topic) };
  });
  after(async () => {
    await running?.client.close();
    await running?.standIn.stop();
  });
  return () => {
    if (!target) throw new Error('Pub/Sub is there only while tests run.');
    return target;
  };
}
