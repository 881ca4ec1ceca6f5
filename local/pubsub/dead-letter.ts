import { type Broker, publish } from './broker.ts';
import type { WireSubscription } from './protocol.ts';
import type { Delivery } from './subscription.ts';

/** Publishes a new message with the old content to the dead letter topic. False when that topic is gone. */
export function forwardDeadLetter(broker: Broker, wire: WireSubscription, delivery: Delivery): boolean {
  const topic = broker.topics.get(wire.deadLetterPolicy?.deadLetterTopic ?? '');
  if (!topic) return false;
  const { data, orderingKey, attributes } = delivery.message;
  publish(broker, topic, {
    data,
    orderingKey,
    attributes: { ...attributes, ...describeSource(wire.name, delivery) },
  });
  return true;
}

function describeSource(subscription: string, { message, attempts }: Delivery): Record<string, string> {
  const [, project = '', , id = ''] = subscription.split('/');
  return {
    CloudPubSubDeadLetterSourceDeliveryCount: String(attempts),
    CloudPubSubDeadLetterSourceSubscription: id,
    CloudPubSubDeadLetterSourceSubscriptionProject: project,
    // The real service writes the offset, where every other timestamp of it ends in Z.
    CloudPubSubDeadLetterSourceTopicPublishTime: message.publishTime.toISOString().replace('Z', '+00:00'),
  };
}
