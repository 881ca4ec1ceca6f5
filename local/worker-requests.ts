import { startPubSub } from './pubsub/start-pubsub.ts';
import type { Settings } from './settings.ts';

const topic = 'projects/local/topics/continue';

/** The variables that let a tick request further workers. Empty: each tick has one worker. */
export type WorkerRequests = { readonly env: NodeJS.ProcessEnv; readonly close: () => Promise<void> };

/**
 * Starts a Pub/Sub in memory that pushes the continuation messages of ticks to `retryUrl`. Does nothing if the operator
 * configured a Pub/Sub, or if routes publish to Pub/Sub: their messages would end in the stand-in.
 */
export async function openWorkerRequests(settings: Settings, retryUrl: string): Promise<WorkerRequests> {
  const { PUBSUB_EMULATOR_HOST: host, CONTINUE_TOPIC: given } = process.env;
  const doesPublish = settings.routes.some(({ target }) => target.kind === 'pubsub');
  if (host || given || doesPublish) return { env: {}, close: async () => {} };
  const standIn = await startPubSub();
  standIn.pushTo(topic, retryUrl);
  return { env: { CONTINUE_TOPIC: topic, PUBSUB_EMULATOR_HOST: standIn.host }, close: standIn.stop };
}
