import type { KafkaRestTarget } from '../../shared/delivery/targets/kafka-rest-target.ts';
import { aRoute } from './routes.ts';
import { aDelivery, type Delivery, type Overrides } from './send.ts';

type Additions = Partial<Pick<KafkaRestTarget, 'headers' | 'audience' | 'topic'>>;

/** A target at a bridge of each kind, as configuration would give it. */
export function aBridgeTarget(
  flavor: KafkaRestTarget['flavor'],
  url: string,
  more: Additions = {},
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
  { target, ...more }: Overrides & { readonly target?: Additions } = {},
): Delivery {
  return aDelivery(aBridgeTarget(flavor, url, target), more);
}
