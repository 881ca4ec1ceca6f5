import { afterEach, beforeEach } from 'node:test';
import { PubSub } from '@google-cloud/pubsub';
import { type PubSubStandIn, startPubSub } from './start-pubsub.ts';

type Running = { readonly standIn: PubSubStandIn; readonly client: PubSub };

/** Starts a stand-in and the official client for each test. */
export function usePubSub(): () => Running {
  let running: Running | undefined;

  beforeEach(async () => {
    // Even a client of an emulator looks for credentials, and would ask a metadata server that does not exist
    // here.
    process.env.METADATA_SERVER_DETECTION = 'none';
    const standIn = await startPubSub();
    running = { standIn, client: new PubSub({ projectId: 'acme', apiEndpoint: standIn.host }) };
  });

  afterEach(async () => {
    await running?.client.close();
    await running?.standIn.stop();
  });

  return () => {
    if (!running) throw new Error('Only a test can use the stand-in.');
    return running;
  };
}

export const topicName = (id: string) => `projects/acme/topics/${id}`;
export const subscriptionName = (id: string) => `projects/acme/subscriptions/${id}`;
