import type { v1 } from '@google-cloud/pubsub';

export type Publisher = InstanceType<typeof v1.PublisherClient>;

let opening: Promise<Publisher> | undefined;

/** The one client that publishes for this process. It has no queues of its own: each call is one request. */
export function openPublisher(): Promise<Publisher> {
  opening ??= connect().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function connect(): Promise<Publisher> {
  // Loaded only where it is used: a quarter of a second of every cold start otherwise.
  const { PubSub, v1 } = await import('@google-cloud/pubsub');
  // An emulator needs no credentials, but even there they would be looked for, to learn this from them.
  const emulated = process.env.PUBSUB_EMULATOR_HOST
    ? { clientOptions: { universeDomain: 'googleapis.com' } }
    : {};
  // It knows how to find an emulator and the credentials. Its project is of no use: topics are named in full.
  const options = await new PubSub({ projectId: 'named-by-the-topic', ...emulated }).getClientConfig();
  const publisher = new v1.PublisherClient(options as ConstructorParameters<typeof v1.PublisherClient>[0]);
  // Looks for credentials, which else the first publish would do: a failure there would count as sent.
  await publisher.initialize();
  return publisher;
}
