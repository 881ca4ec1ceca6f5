import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';
import type { KafkaRestTarget } from '../../shared/delivery/targets/kafka-rest-target.ts';
import type { Delivery } from '../../shared/delivery/targets/target-kind.ts';
import { aLeasedEvent } from './leased-event.ts';
import { aRoute } from './routes.ts';

type Overrides = Partial<Omit<Delivery<KafkaRestTarget>, 'event' | 'target'>> & {
  readonly event?: Partial<LeasedEvent>;
  readonly target?: Partial<Pick<KafkaRestTarget, 'headers' | 'audience' | 'topic'>>;
};

/** A target at a bridge of each kind, as configuration would give it. */
export function aBridgeTarget(
  flavor: KafkaRestTarget['flavor'],
  url: string,
  more: Overrides['target'] = {},
): KafkaRestTarget {
  const common = { kind: 'kafka-rest', url, topic: 'orders', ...more } as const;
  const { target } = aRoute({
    target:
      flavor === 'confluent-v3' ? { ...common, flavor, clusterId: '4L6g3nShT-eMCtK' } : { ...common, flavor },
  });
  return target as KafkaRestTarget;
}

/** A first delivery of an event by the bridge at `url`, with anything overridden. */
export function aKafkaRestDelivery(
  flavor: KafkaRestTarget['flavor'],
  url: string,
  { event, target, ...more }: Overrides = {},
): Delivery<KafkaRestTarget> {
  return {
    event: aLeasedEvent(event),
    target: aBridgeTarget(flavor, url, target),
    body: Buffer.from('{"orderId": 1}'),
    attempt: 1,
    timeoutSeconds: 10,
    ...more,
  };
}
