import { type Broker, checkNewName, findTopic } from './broker.ts';
import type { WireSubscription } from './protocol.ts';
import { readRetry } from './retry-delay.ts';
import { RpcError } from './rpc-error.ts';

/** Fills in the defaults of the real service. Throws what it throws, and UNIMPLEMENTED for what has no stand-in. */
export function readNewSubscription(broker: Broker, wire: WireSubscription): WireSubscription {
  checkNewName(broker.subscriptions, 'subscriptions', wire.name);
  findTopic(broker, wire.topic);
  refuseUnsupported(wire);
  checkEndpoint(wire.pushConfig?.pushEndpoint ?? '');
  checkRetry(wire.retryPolicy);
  const ackDeadlineSeconds = wire.ackDeadlineSeconds || 10;
  checkRange('ackDeadlineSeconds', ackDeadlineSeconds, 10, 600);
  return {
    ...wire,
    ackDeadlineSeconds,
    deadLetterPolicy: readDeadLetterPolicy(broker, wire.deadLetterPolicy),
  };
}

function readDeadLetterPolicy(broker: Broker, policy: WireSubscription['deadLetterPolicy']) {
  if (!policy) return null;
  findTopic(broker, policy.deadLetterTopic);
  const maxDeliveryAttempts = policy.maxDeliveryAttempts || 5;
  checkRange('deadLetterPolicy.maxDeliveryAttempts', maxDeliveryAttempts, 5, 100);
  return { ...policy, maxDeliveryAttempts };
}

function checkRetry(policy: WireSubscription['retryPolicy']): void {
  if (!policy) return;
  const { minimum, maximum } = readRetry(policy);
  checkRange('retryPolicy.maximumBackoff in milliseconds', maximum, 0, 600_000);
  checkRange('retryPolicy.minimumBackoff in milliseconds', minimum, 0, maximum);
}

function checkRange(field: string, value: number, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new RpcError('INVALID_ARGUMENT', `${field} is ${value}: use ${least} to ${most}.`);
}

function checkEndpoint(endpoint: string): void {
  if (endpoint === '' || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) return;
  throw new RpcError(
    'INVALID_ARGUMENT',
    `pushConfig.pushEndpoint is "${endpoint}": use an http or https URL.`,
  );
}

function refuseUnsupported(wire: WireSubscription): void {
  const used = {
    filter: wire.filter,
    enableExactlyOnceDelivery: wire.enableExactlyOnceDelivery,
    messageTransforms: wire.messageTransforms.length,
    bigqueryConfig: wire.bigqueryConfig,
    bigtableConfig: wire.bigtableConfig,
    cloudStorageConfig: wire.cloudStorageConfig,
    'pushConfig.noWrapper': wire.pushConfig?.noWrapper,
  };
  for (const [field, value] of Object.entries(used)) {
    if (value) throw new RpcError('UNIMPLEMENTED', `The Pub/Sub stand-in has no ${field}.`);
  }
}
