import { createRequire } from 'node:module';
import type { handleUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { type Faults, failWith, takeFault } from './faults.ts';

/** Answers a request, or throws an RpcError. */
type Method = (request: never) => unknown;

/** Reads the service definitions that the official client ships, so the two cannot drift apart. */
export function loadServices(): { publisher: ServiceDefinition; subscriber: ServiceDefinition } {
  const require = createRequire(import.meta.url);
  const protos = require('@google-cloud/pubsub/build/protos/protos.json');
  const definitions = fromJSON(protos, { defaults: true, longs: Number });
  return {
    publisher: definitions['google.pubsub.v1.Publisher'] as ServiceDefinition,
    subscriber: definitions['google.pubsub.v1.Subscriber'] as ServiceDefinition,
  };
}

/** Wraps plain functions as gRPC methods, and applies the faults planned for them. */
export function serveUnary(methods: Readonly<Record<string, Method>>, faults: Faults) {
  const handlers = Object.entries(methods).map(([name, method]) => [name, serve(name, method, faults)]);
  return Object.fromEntries(handlers) as Record<string, handleUnaryCall<unknown, unknown>>;
}

function serve(name: string, method: Method, faults: Faults): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const fault = takeFault(faults, name);
    if (fault && !fault.afterwards) return failWith(fault, callback);
    try {
      const response = method(call.request as never);
      if (fault) failWith(fault, callback);
      else callback(null, response);
    } catch (error) {
      callback(error as Error);
    }
  };
}
