import type { v1 } from '@google-cloud/pubsub';
import { loadPubSub } from './load-pubsub.ts';

export type Publisher = InstanceType<typeof v1.PublisherClient>;

let opening: Promise<Publisher> | undefined;

/** Returns the publishing client of this process. It has no queues: each call is one request. */
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
