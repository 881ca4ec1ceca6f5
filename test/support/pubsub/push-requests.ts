import type { handleUnaryCall } from '@grpc/grpc-js';
import { type PubSubServer, servePubSub } from './serve-pubsub.ts';

type Publish = handleUnaryCall<
  { readonly messages: readonly { readonly data: Buffer }[] },
  { readonly messageIds: readonly string[] }
>;

/** Starts a Pub/Sub that pushes each message of any topic once. `push` must not reject. */
export function pushRequests(push: (body: object) => Promise<void>): Promise<PubSubServer> {
  let lastId = 0;
  const publish: Publish = ({ request: { messages } }, answer) => {
    for (const { data } of messages) void push({ message: { data: data.toString('base64') } });
    answer(null, { messageIds: messages.map(() => String(++lastId)) });
  };
  return servePubSub({ Publisher: { Publish: publish } });
}
