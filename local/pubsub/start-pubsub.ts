import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type Broker, createBroker, findTopic } from './broker.ts';
import { createFaults, type Fault } from './faults.ts';
import type { PublishedMessage } from './message.ts';
import { loadServices } from './protocol.ts';
import { answerPublisher } from './publisher.ts';
import { RpcError } from './rpc-error.ts';
import { serveUnary } from './serve-unary.ts';
import { streamingPull } from './streaming-pull.ts';
import { answerSubscriber } from './subscriber.ts';
import { closeSubscription } from './subscription.ts';

export type Method =
  | keyof ReturnType<typeof answerPublisher>
  | keyof ReturnType<typeof answerSubscriber>
  | 'StreamingPull';

export type PubSubStandIn = {
  /** `127.0.0.1:PORT`, the value for PUBSUB_EMULATOR_HOST. */
  readonly host: string;
  /** Everything the topic took, oldest first, by its full name. Throws when there is no such topic. */
  messages(topic: string): readonly PublishedMessage[];
  /** Creates a topic, and a subscription that pushes what it takes to an endpoint. Throws as the real service does. */
  pushTo(topic: string, endpoint: string): void;
  /** Plans a fault for the next calls of a method. */
  failNext(method: Method, fault: Fault): void;
  /** Breaks off every call and push; what was published can still be read. May be called twice. */
  stop(): Promise<void>;
};

/**
 * Starts a stand-in for Google Pub/Sub that speaks its gRPC protocol, in memory, for this machine only.
 * Port 0, the default, takes any free one. Throws when the port is taken.
 */
export async function startPubSub(
  options: { readonly port?: number; readonly host?: '127.0.0.1' } = {},
): Promise<PubSubStandIn> {
  const { port = 0, host = '127.0.0.1' } = options;
  const broker = createBroker();
  const faults = createFaults();
  // The limit of grpc-js, 4 MB, would refuse messages that Pub/Sub takes.
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const services = loadServices();
  server.addService(services.publisher, serveUnary(answerPublisher(broker), faults));
  server.addService(services.subscriber, {
    ...serveUnary(answerSubscriber(broker), faults),
    StreamingPull: streamingPull(broker, faults),
  });
  const boundPort = await listen(server, `${host}:${port}`);
  return {
    host: `${host}:${boundPort}`,
    messages: (topic) => findTopic(broker, topic).messages,
    pushTo: (topic, endpoint) => pushTo(broker, topic, endpoint),
    failNext: (method, fault) => faults.set(method, fault),
    stop: () => stop(server, broker),
  };
}

function pushTo(broker: Broker, topic: string, pushEndpoint: string): void {
  answerPublisher(broker).CreateTopic({ name: topic });
  answerSubscriber(broker).CreateSubscription({
    name: topic.replace('/topics/', '/subscriptions/'),
    topic,
    pushConfig: { pushEndpoint },
    ackDeadlineSeconds: 600,
    enableMessageOrdering: false,
    deadLetterPolicy: null,
    retryPolicy: null,
    filter: '',
    enableExactlyOnceDelivery: false,
    messageTransforms: [],
    bigqueryConfig: null,
    bigtableConfig: null,
    cloudStorageConfig: null,
  });
}

function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(new Error(`The Pub/Sub stand-in cannot listen on ${address}.`, { cause: error }));
      else resolve(port);
    });
  });
}

function stop(server: Server, broker: Broker): Promise<void> {
  const reason = new RpcError('UNAVAILABLE', 'The Pub/Sub stand-in was stopped.');
  for (const subscription of broker.subscriptions.values()) closeSubscription(subscription, reason);
  broker.subscriptions.clear();
  return new Promise((resolve) => {
    // The first waits for what is open, the second breaks it off: together they tell when nothing is left.
    server.tryShutdown(() => resolve());
    server.forceShutdown();
  });
}
