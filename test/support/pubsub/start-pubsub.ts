import { createBroker, findTopic } from './broker.ts';
import { type Fault, type Faults, serveUnary } from './faults.ts';
import type { PublishedMessage } from './message.ts';
import { publisherMethods, subscriberMethods } from './methods.ts';
import { servePubSub } from './serve-pubsub.ts';

export type Method = keyof ReturnType<typeof publisherMethods> | keyof ReturnType<typeof subscriberMethods>;

export type PubSubStandIn = {
  /** `127.0.0.1:PORT`, the value for PUBSUB_EMULATOR_HOST. */
  readonly host: string;
  /**
   * All messages that the topic took, oldest first, by its full name. Throws NOT_FOUND for an unknown topic.
   */
  messages(topic: string): readonly PublishedMessage[];
  /** Plans a fault for the next calls of a method. */
  failNext(method: Method, fault: Fault): void;
  /** Breaks off every call; published messages can still be read. May be called twice. */
  stop(): Promise<void>;
};

/**
 * Starts a stand-in for Google Pub/Sub that speaks its gRPC protocol, in memory, on loopback only. It takes
 * messages and lists the subscriptions of a topic.
 */
export async function startPubSub(): Promise<PubSubStandIn> {
  const broker = createBroker();
  const faults: Faults = new Map();
  const server = await servePubSub({
    Publisher: serveUnary(publisherMethods(broker), faults),
    Subscriber: serveUnary(subscriberMethods(broker), faults),
  });
  return {
    ...server,
    messages: (topic) => findTopic(broker, topic).messages,
    failNext: (method, fault) => faults.set(method, { fault, left: fault.count ?? 1 }),
  };
}
