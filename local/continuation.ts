import { startPubSub } from './pubsub/start-pubsub.ts';
import type { Settings } from './settings.ts';

const topic = 'projects/office/topics/continue';

/** What lets ticks call other workers. Empty where nothing does: a tick then works alone. */
export type Continuation = { readonly env: NodeJS.ProcessEnv; readonly close: () => Promise<void> };

/**
 * Opens a Pub/Sub in memory for the continuation messages, which it pushes to `retry` at `endpoint`. Not where the person
 * has one of their own, or routes that publish: it would swallow what they publish.
 */
export async function openContinuation(settings: Settings, endpoint: string): Promise<Continuation> {
  const { PUBSUB_EMULATOR_HOST: host, CONTINUE_TOPIC: given } = process.env;
  const doesPublish = settings.routes.some(({ target }) => target.kind === 'pubsub');
  if (host || given || doesPublish) return { env: {}, close: async () => {} };
  const standIn = await startPubSub();
  standIn.pushTo(topic, endpoint);
  const env = { CONTINUE_TOPIC: topic, PUBSUB_EMULATOR_HOST: standIn.host };
  return { env, close: standIn.stop };
}
