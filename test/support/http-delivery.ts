import type { HttpTarget } from '../../shared/delivery/targets/http-target.ts';
import { aDelivery, type Delivery, type Overrides } from './send.ts';

/** A first delivery of an event to `url`, with anything overridden. */
export function anHttpDelivery(
  url: string,
  { target, ...more }: Overrides & { readonly target?: Partial<HttpTarget> } = {},
): Delivery {
  return aDelivery({ kind: 'http', url, headers: {}, allowHeaders: [], ...target }, more);
}

/** Every value of a header as it arrived, in order, repeats included. */
export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
