import { promisify } from 'node:util';
import { Server, ServerCredentials, type ServiceDefinition, type UntypedHandleCall } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

/** Handlers of one gRPC service by method; all other methods answer UNIMPLEMENTED. */
export type Handlers = Readonly<Record<string, UntypedHandleCall>>;

export type PubSubServer = {
  /** `127.0.0.1:PORT`, the value for PUBSUB_EMULATOR_HOST. */
  readonly host: string;
  /** Breaks off every call. */
  readonly stop: () => Promise<void>;
};

/** Serves services of google.pubsub.v1, such as `Publisher`, by Pub/Sub's gRPC protocol, on loopback only. */
export async function servePubSub(services: Readonly<Record<string, Handlers>>): Promise<PubSubServer> {
  // The definitions that the official client ships, so that the two cannot drift apart.
  const { default: protos } = await import('@google-cloud/pubsub/build/protos/protos.json', {
    with: { type: 'json' },
  });
  const definitions = fromJSON(protos, { defaults: true, longs: Number });
  // The default limit of grpc-js, 4 MB, would reject messages that Pub/Sub takes.
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  for (const [name, handlers] of Object.entries(services)) {
    server.addService(definitions[`google.pubsub.v1.${name}`] as ServiceDefinition, handlers);
  }
  const credentials = ServerCredentials.createInsecure();
  const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', credentials);
  return { host: `127.0.0.1:${port}`, stop: () => stop(server) };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The first call waits for open calls, the second breaks them off: the callback runs when none is left.
    server.tryShutdown(() => resolve());
    server.forceShutdown();
  });
}
