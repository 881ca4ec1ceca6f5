import type { LeasedEvent } from '../../shared/events.ts';
import type { HttpDelivery } from '../../shared/targets/http.ts';
import { aLeasedEvent } from './leased-event.ts';

type Delivery = Partial<Omit<HttpDelivery, 'event' | 'target'>> & {
  readonly event?: Partial<LeasedEvent>;
  readonly target?: Partial<HttpDelivery['target']>;
};

/** A first delivery of an event to `url`, with anything overridden. */
export function anHttpDelivery(url: string, { event, target, ...more }: Delivery = {}): HttpDelivery {
  return {
    event: aLeasedEvent(event),
    target: { kind: 'http', url, headers: {}, ...target },
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
