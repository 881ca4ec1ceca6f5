import { createRequire } from 'node:module';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

/** The parts of google.pubsub.v1 that the stand-in reads; what it does not read it still echoes. */
export type WireTime = { readonly seconds: number; readonly nanos: number };

export type WireMessage = {
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageId: string;
  readonly publishTime: WireTime | null;
  readonly orderingKey: string;
};

export type WireReceivedMessage = {
  readonly ackId: string;
  readonly message: WireMessage;
  readonly deliveryAttempt: number;
};

export type WireSubscription = {
  readonly name: string;
  readonly topic: string;
  readonly pushConfig: { readonly pushEndpoint: string; readonly noWrapper?: object | null } | null;
  readonly ackDeadlineSeconds: number;
  readonly enableMessageOrdering: boolean;
  readonly deadLetterPolicy: {
    readonly deadLetterTopic: string;
    readonly maxDeliveryAttempts: number;
  } | null;
  readonly retryPolicy: {
    readonly minimumBackoff: WireTime | null;
    readonly maximumBackoff: WireTime | null;
  } | null;
  readonly filter: string;
  readonly enableExactlyOnceDelivery: boolean;
  readonly messageTransforms: readonly object[];
  readonly bigqueryConfig: object | null;
  readonly bigtableConfig: object | null;
  readonly cloudStorageConfig: object | null;
};

/** Reads the service definitions that the official client itself ships, so the two cannot drift apart. */
export function loadServices(): { publisher: ServiceDefinition; subscriber: ServiceDefinition } {
  const require = createRequire(import.meta.url);
  const protos = require('@google-cloud/pubsub/build/protos/protos.json');
  const definitions = fromJSON(protos, { defaults: true, longs: Number });
  return {
    publisher: definitions['google.pubsub.v1.Publisher'] as ServiceDefinition,
    subscriber: definitions['google.pubsub.v1.Subscriber'] as ServiceDefinition,
  };
}
