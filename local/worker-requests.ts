import type { handleUnaryCall } from '@grpc/grpc-js';
import { type PubSubServer, servePubSub } from './pubsub-server.ts';
import { requestRetry } from './request-retry.ts';
import type { Settings } from './settings.ts';

/** The variables that let a tick request further workers. Empty: each tick has one worker. */
export type WorkerRequests = { readonly env: NodeJS.ProcessEnv; readonly close: () => Promise<void> };

/**
 * Starts a Pub/Sub in memory that pushes the worker requests of ticks to `retryUrl`. Does nothing if the
 * operator configured a Pub/Sub, or if routes publish to Pub/Sub: their messages would end in the stand-in.
 */
export async function openWorkerRequests(settings: Settings, retryUrl: string): Promise<WorkerRequests> {
  const { PUBSUB_EMULATOR_HOST: host, CONTINUE_TOPIC: given } = process.env;
  const doesPublish = settings.routes.some(({ target }) => target.kind === 'pubsub');
  if (host || given || doesPublish) return { env: {}, close: async () => {} };
  const standIn = await pushWorkerRequests((push) => requestRetry(retryUrl, push));
  const env = { CONTINUE_TOPIC: 'projects/local/topics/continue', PUBSUB_EMULATOR_HOST: standIn.host };
  return { env, close: standIn.stop };
}

type Publish = handleUnaryCall<
  { readonly messages: readonly { readonly data: Buffer }[] },
  { readonly messageIds: readonly string[] }
>;

/**
 * Starts a Pub/Sub that pushes each message of any topic once: the next tick does the work of a lost one.
 * `push` must not reject.
 */
export function pushWorkerRequests(push: (body: object) => Promise<void>): Promise<PubSubServer> {
  let lastId = 0;
  const publish: Publish = ({ request: { messages } }, answer) => {
    for (const { data } of messages) void push({ message: { data: data.toString('base64') } });
    answer(null, { messageIds: messages.map(() => String(++lastId)) });
  };
  return servePubSub({ Publisher: { Publish: publish } });
}
