import { aDelivery, type Delivery, type Overrides } from './send.ts';

/** A first delivery of an event to a topic, with anything overridden. */
export function aPubSubDelivery(topic: string, more: Overrides = {}): Delivery {
  return aDelivery({ kind: 'pubsub', topic }, more);
}
