import { promisify } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { createBroker, createTopic, findTopic, subscribe } from './broker.ts';
import type { Fault, Faults } from './faults.ts';
import { loadServices, serveUnary } from './grpc-services.ts';
import type { PublishedMessage } from './message.ts';
import { publisherMethods, subscriberMethods } from './methods.ts';
import { pushSubscription } from './push.ts';

export type Method = keyof ReturnType<typeof publisherMethods> | keyof ReturnType<typeof subscriberMethods>;

export type PubSubStandIn = {
  /** `127.0.0.1:PORT`, the value for PUBSUB_EMULATOR_HOST. */
  readonly host: string;
  /** All messages that the topic took, oldest first, by its full name. Throws NOT_FOUND for an unknown topic. */
  messages(topic: string): readonly PublishedMessage[];
  /** Creates a topic, and a subscription that pushes its messages to an endpoint. Throws as the real service does. */
  pushTo(topic: string, endpoint: string): void;
  /** Plans a fault for the next calls of a method. */
  failNext(method: Method, fault: Fault): void;
  /** Breaks off every call and push; published messages can still be read. May be called twice. */
  stop(): Promise<void>;
};

/**
 * Starts a stand-in for Google Pub/Sub that speaks its gRPC protocol, in memory, on loopback only. It takes messages,
 * lists the subscriptions of a topic, and pushes.
 */
export async function startPubSub(): Promise<PubSubStandIn> {
  const broker = createBroker();
  const faults: Faults = new Map();
  const stopped = new AbortController();
  // The default limit of grpc-js, 4 MB, would reject messages that Pub/Sub takes.
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const services = loadServices();
  server.addService(services.publisher, serveUnary(publisherMethods(broker), faults));
  server.addService(services.subscriber, serveUnary(subscriberMethods(broker), faults));
  const port = await promisify(server.bindAsync.bind(server))(
    '127.0.0.1:0',
    ServerCredentials.createInsecure(),
  );
  return {
    host: `127.0.0.1:${port}`,
    messages: (topic) => findTopic(broker, topic).messages,
    pushTo(topic, endpoint) {
      createTopic(broker, topic);
      const name = topic.replace('/topics/', '/subscriptions/');
      subscribe(broker, topic, pushSubscription(name, endpoint, stopped.signal));
    },
    failNext: (method, fault) => faults.set(method, { fault, left: fault.count ?? 1 }),
    stop() {
      stopped.abort();
      return stop(server);
    },
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The first call waits for open calls, the second breaks them off: the callback runs when none is left.
    server.tryShutdown(() => resolve());
    server.forceShutdown();
  });
}
