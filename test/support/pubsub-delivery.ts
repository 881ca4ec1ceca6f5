import type { LeasedEvent } from '../../shared/events.ts';
import type { PubSubDelivery } from '../../shared/targets/pubsub.ts';
import { aLeasedEvent } from './leased-event.ts';

type Delivery = Partial<Omit<PubSubDelivery, 'event' | 'target'>> & { readonly event?: Partial<LeasedEvent> };

/** A first delivery of an event to a topic, with anything overridden. */
export function aPubSubDelivery(topic: string, { event, ...more }: Delivery = {}): PubSubDelivery {
  return {
    event: aLeasedEvent(event),
    target: { kind: 'pubsub', topic },
    body: Buffer.from('{"orderId": 1}'),
    attempt: 1,
    timeoutSeconds: 10,
    ...more,
  };
}
