import { acknowledge, hold, lease } from './backlog.ts';
import { type Broker, createTopic, findBacklog, findTopic, publish, subscribe } from './broker.ts';
import { checkMessages, type MessageContent } from './message.ts';

/** The methods of google.pubsub.v1.Publisher that the product uses; all others answer UNIMPLEMENTED. */
export function publisherMethods(broker: Broker) {
  return {
    CreateTopic(topic: { readonly name: string }) {
      createTopic(broker, topic.name);
      return topic;
    },
    ListTopicSubscriptions: ({ topic }: { readonly topic: string }) => ({
      subscriptions: findTopic(broker, topic).subscriptions,
    }),
    Publish({ topic, messages }: { readonly topic: string; readonly messages: readonly MessageContent[] }) {
      const found = findTopic(broker, topic);
      checkMessages(messages);
      return { messageIds: messages.map((message) => publish(broker, found, message)) };
    },
  };
}

/** The methods of google.pubsub.v1.Subscriber that the product uses. */
export function subscriberMethods(broker: Broker) {
  type Acks = { readonly subscription: string; readonly ackIds: readonly string[] };
  return {
    CreateSubscription(wire: {
      readonly name: string;
      readonly topic: string;
      readonly enableMessageOrdering: boolean;
    }) {
      subscribe(broker, wire.topic, wire.name, wire.enableMessageOrdering);
      return wire;
    },
    // At once, also without messages: Pub/Sub may.
    Pull: ({
      subscription,
      maxMessages,
    }: {
      readonly subscription: string;
      readonly maxMessages: number;
    }) => ({
      receivedMessages: lease(findBacklog(broker, subscription), maxMessages),
    }),
    Acknowledge({ subscription, ackIds }: Acks) {
      acknowledge(findBacklog(broker, subscription), ackIds);
      return {};
    },
    ModifyAckDeadline({
      subscription,
      ackIds,
      ackDeadlineSeconds,
    }: Acks & { readonly ackDeadlineSeconds: number }) {
      hold(findBacklog(broker, subscription), ackIds, ackDeadlineSeconds);
      return {};
    },
  };
}
