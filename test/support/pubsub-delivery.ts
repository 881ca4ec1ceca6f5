import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';
import type { PubSubTarget } from '../../shared/delivery/targets/pubsub-target.ts';
import type { Delivery } from '../../shared/delivery/targets/target-kind.ts';
import { aLeasedEvent } from './leased-event.ts';

type Overrides = Partial<Omit<Delivery<PubSubTarget>, 'event' | 'target'>> & {
  readonly event?: Partial<LeasedEvent>;
};

/** A first delivery of an event to a topic, with anything overridden. */
export function aPubSubDelivery(topic: string, { event, ...more }: Overrides = {}): Delivery<PubSubTarget> {
  return {
    event: aLeasedEvent(event),
    target: { kind: 'pubsub', topic },
    body: Buffer.from('{"orderId": 1}'),
    attempt: 1,
    timeoutSeconds: 10,
    ...more,
  };
}
