import type { ServerDuplexStream, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { type PubSubServer, servePubSub } from '../pubsub/serve-pubsub.ts';

export type QueuedMessage = {
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageId: string;
  readonly orderingKey: string;
};

export type Subscriber = PubSubServer & {
  /** The ids of the messages that were acknowledged. */
  readonly acknowledged: string[];
  publish(message: QueuedMessage): void;
};

type Stream = ServerDuplexStream<unknown, unknown>;
type Call = ServerUnaryCall<{ readonly ackIds: string[]; readonly ackDeadlineSeconds?: number }, unknown>;

/**
 * Starts a stand-in of a subscription: it delivers each message until it is acknowledged, again after a
 * nack.
 */
export async function startSubscriber(): Promise<Subscriber> {
  const messages = new Map<string, QueuedMessage>();
  const deliveries = new Map<string, number>();
  const acknowledged: string[] = [];
  const streams = new Set<Stream>();
  const deliver = (message: QueuedMessage) => {
    const [stream] = streams;
    if (!stream) return;
    const { messageId } = message;
    const deliveryAttempt = (deliveries.get(messageId) ?? 0) + 1;
    deliveries.set(messageId, deliveryAttempt);
    const publishTime = { seconds: 1_790_000_000, nanos: 0 };
    const receivedMessages = [{ ackId: messageId, message: { ...message, publishTime }, deliveryAttempt }];
    stream.write({ receivedMessages });
  };
  const server = await servePubSub({
    Subscriber: {
      StreamingPull: (stream: Stream) => {
        streams.add(stream);
        stream.on('data', () => {});
        stream.on('end', () => stream.end());
        stream.on('error', () => streams.delete(stream));
        stream.on('close', () => streams.delete(stream));
        for (const message of messages.values()) deliver(message);
      },
      Acknowledge: ({ request }: Call, done: sendUnaryData<unknown>) => {
        acknowledged.push(...request.ackIds);
        for (const id of request.ackIds) messages.delete(id);
        done(null, {});
      },
      ModifyAckDeadline: ({ request }: Call, done: sendUnaryData<unknown>) => {
        done(null, {});
        if (request.ackDeadlineSeconds !== 0) return;
        for (const message of request.ackIds.map((id) => messages.get(id))) if (message) deliver(message);
      },
    },
  });
  const publish = (message: QueuedMessage) => {
    messages.set(message.messageId, message);
    deliver(message);
  };
  return { ...server, acknowledged, publish };
}
