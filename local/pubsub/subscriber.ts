import { type Broker, findSubscription, findTopic } from './broker.ts';
import { forwardDeadLetter } from './dead-letter.ts';
import { acknowledge, extendLease } from './leasing.ts';
import { readNewSubscription } from './new-subscription.ts';
import type { WireSubscription } from './protocol.ts';
import { type PullRequest, pull } from './pull.ts';
import { attachPush } from './push.ts';
import { RpcError } from './rpc-error.ts';
import { closeSubscription, openSubscription, type Subscription } from './subscription.ts';

type SubscriptionRequest = { readonly subscription: string };
type AckRequest = { readonly subscription: string; readonly ackIds: readonly string[] };
type DeadlineRequest = AckRequest & { readonly ackDeadlineSeconds: number };

/** The unary methods of google.pubsub.v1.Subscriber that the stand-in knows; the others answer UNIMPLEMENTED. */
export function answerSubscriber(broker: Broker) {
  const find = ({ subscription }: SubscriptionRequest) => findSubscription(broker, subscription);
  return {
    CreateSubscription: (wire: WireSubscription) => createSubscription(broker, wire),
    GetSubscription: (request: SubscriptionRequest) => describe(broker, find(request)),
    DeleteSubscription(request: SubscriptionRequest) {
      deleteSubscription(broker, find(request));
      return {};
    },
    ListSubscriptions({ project }: { readonly project: string }) {
      const all = [...broker.subscriptions.values()];
      const own = all.filter(({ wire }) => wire.name.startsWith(`${project}/`));
      return { subscriptions: own.map((subscription) => describe(broker, subscription)) };
    },
    Pull: (request: PullRequest, cancelled: AbortSignal) => pull(find(request), request, cancelled),
    Acknowledge(request: AckRequest) {
      for (const ackId of request.ackIds) acknowledge(find(request), ackId);
      return {};
    },
    ModifyAckDeadline(request: DeadlineRequest) {
      checkDeadline(request.ackDeadlineSeconds);
      for (const ackId of request.ackIds) extendLease(find(request), ackId, request.ackDeadlineSeconds);
      return {};
    },
  };
}

function createSubscription(broker: Broker, request: WireSubscription): WireSubscription {
  const wire = readNewSubscription(broker, request);
  const subscription = openSubscription(wire, (delivery) => forwardDeadLetter(broker, wire, delivery));
  broker.subscriptions.set(wire.name, subscription);
  findTopic(broker, wire.topic).subscriptions.add(subscription);
  if (wire.pushConfig?.pushEndpoint) attachPush(subscription, wire.pushConfig.pushEndpoint);
  return wire;
}

function deleteSubscription(broker: Broker, subscription: Subscription): void {
  const { name, topic } = subscription.wire;
  broker.subscriptions.delete(name);
  broker.topics.get(topic)?.subscriptions.delete(subscription);
  closeSubscription(subscription, new RpcError('NOT_FOUND', 'The subscription was deleted.'));
}

/** A topic that was deleted, even if one of the same name came after it, no longer feeds the subscription. */
function describe(broker: Broker, subscription: Subscription): WireSubscription {
  const isFed = broker.topics.get(subscription.wire.topic)?.subscriptions.has(subscription);
  return isFed ? subscription.wire : { ...subscription.wire, topic: '_deleted-topic_' };
}

function checkDeadline(seconds: number): void {
  if (seconds >= 0 && seconds <= 600) return;
  throw new RpcError('INVALID_ARGUMENT', `ackDeadlineSeconds is ${seconds}: use 0 to 600.`);
}
