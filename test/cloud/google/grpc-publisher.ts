import { createRequire } from 'node:module';
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { ApiError } from './api-error.ts';
import { type Google, list } from './google.ts';
import { projectOf } from './iam-methods.ts';
import { publish, type Send } from './publish.ts';
import { memberOf } from './tokens.ts';

type Publish = {
  readonly topic: string;
  readonly messages: readonly {
    readonly data: Buffer;
    readonly attributes: Readonly<Record<string, string>>;
    readonly orderingKey: string;
  }[];
};

const grpcCodes = { NOT_FOUND: 5, PERMISSION_DENIED: 7 } as const;

/**
 * Serves Pub/Sub's Publisher by gRPC, which Google's client library speaks. Returns what takes its
 * connections.
 */
export function serveGrpcPublisher(google: Google, send: Send) {
  const protos = createRequire(import.meta.url)('@google-cloud/pubsub/build/protos/protos.json');
  const definition = fromJSON(protos, { defaults: true, longs: Number })['google.pubsub.v1.Publisher'];
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const unary =
    <Request>(method: (request: Request, caller: string) => object) =>
    (call: ServerUnaryCall<Request, object>, answer: sendUnaryData<object>) => {
      const [authorization = ''] = call.metadata.get('authorization');
      google.calls.push(`POST pubsub.googleapis.com${call.getPath()}`);
      try {
        answer(null, method(call.request, memberOf(String(authorization).replace(/^Bearer /, ''))));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const code = error.status === 'NOT_FOUND' ? grpcCodes.NOT_FOUND : grpcCodes.PERMISSION_DENIED;
        answer({ code, details: error.message });
      }
    };
  server.addService(definition as ServiceDefinition, {
    Publish: unary(({ topic, messages }: Publish, caller) => {
      const encoded = messages.map((message) => ({ ...message, data: message.data.toString('base64') }));
      return { messageIds: publish(google, send, { topic, caller, messages: encoded }).messageIds };
    }),
    ListTopicSubscriptions: unary(({ topic }: { topic: string }) => ({
      subscriptions: list(google, `${projectOf(topic)}/subscriptions`).flatMap((each) =>
        each.topic === topic ? [each.name] : [],
      ),
    })),
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return { accept: injector.injectConnection.bind(injector), stop: () => server.forceShutdown() };
}
