import type { v1 } from '@google-cloud/pubsub';

export type Publisher = InstanceType<typeof v1.PublisherClient>;

let opening: Promise<Publisher> | undefined;

/** It has no queues: each call is one request. */
export function openPublisher(): Promise<Publisher> {
  opening ??= connectPublisher().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/** For the emulator, or with the credentials of the environment. Topics must be named in full. */
async function connectPublisher(): Promise<Publisher> {
  // Loaded when first used: it would add 250 ms to every cold start.
  const { PubSub, v1 } = await import('@google-cloud/pubsub');
  // Without a universe domain the client would look up credentials, which an emulator does not need.
  const emulated = process.env.PUBSUB_EMULATOR_HOST
    ? { clientOptions: { universeDomain: 'googleapis.com' } }
    : {};
  const options = await new PubSub({ projectId: 'named-by-the-resource', ...emulated }).getClientConfig();
  const publisher = new v1.PublisherClient(options as ConstructorParameters<typeof v1.PublisherClient>[0]);
  // Looks up credentials now: if that failed in the first publish, the message would count as sent.
  await publisher.initialize();
  return publisher;
}
