import type { v1 } from '@google-cloud/pubsub';

export type Publisher = InstanceType<typeof v1.PublisherClient>;

let opening: Promise<Publisher> | undefined;

/** It has no queues: each call is one request. */
export function openPublisher(): Promise<Publisher> {
  opening ??= connect().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function connect(): Promise<Publisher> {
  const { v1, options } = await loadPubSub();
  const publisher = new v1.PublisherClient(options);
  // Looks up credentials now: if that failed in the first publish, the message would count as sent.
  await publisher.initialize();
  return publisher;
}

/** For the emulator, or with the credentials of the environment. Topics must be named in full. */
async function loadPubSub() {
  // Loaded when first used: it would add 250 ms to every cold start.
  const { PubSub, v1 } = await import('@google-cloud/pubsub');
  // An emulator needs no credentials, but without a universe domain the client would look them up to learn
  // it.
  const emulated = process.env.PUBSUB_EMULATOR_HOST
    ? { clientOptions: { universeDomain: 'googleapis.com' } }
    : {};
  const options = await new PubSub({ projectId: 'named-by-the-resource', ...emulated }).getClientConfig();
  return { v1, options: options as ConstructorParameters<typeof v1.PublisherClient>[0] };
}
