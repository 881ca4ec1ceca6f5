import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';
import type { HttpTarget } from '../../shared/delivery/targets/http-target.ts';
import type { Delivery } from '../../shared/delivery/targets/target-kind.ts';
import { aLeasedEvent } from './leased-event.ts';

type Overrides = Partial<Omit<Delivery<HttpTarget>, 'event' | 'target'>> & {
  readonly event?: Partial<LeasedEvent>;
  readonly target?: Partial<HttpTarget>;
};

/** A first delivery of an event to `url`, with anything overridden. */
export function anHttpDelivery(
  url: string,
  { event, target, ...more }: Overrides = {},
): Delivery<HttpTarget> {
  return {
    event: aLeasedEvent(event),
    target: { kind: 'http', url, headers: {}, allowHeaders: [], ...target },
    body: Buffer.from('{"orderId": 1}'),
    attempt: 1,
    timeoutSeconds: 10,
    ...more,
  };
}

/** Every value of a header as it arrived, in order, repeats included. */
export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
