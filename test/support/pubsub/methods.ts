import { type Broker, createTopic, findTopic, publish, subscribe } from './broker.ts';
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

/** The method of google.pubsub.v1.Subscriber that tests use. */
export function subscriberMethods(broker: Broker) {
  return {
    CreateSubscription(wire: { readonly name: string; readonly topic: string }) {
      subscribe(broker, wire.topic, wire.name);
      return wire;
    },
  };
}
