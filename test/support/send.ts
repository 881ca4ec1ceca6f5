import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';
import { sendToTarget, type Target } from '../../shared/delivery/targets/target-kinds.ts';
import { aLeasedEvent } from './leased-event.ts';

/** Parts of a first delivery that a test overrides. */
export type Overrides = {
  readonly event?: Partial<LeasedEvent>;
  readonly body?: Buffer;
  readonly attempt?: number;
  readonly timeoutSeconds?: number;
};

export type Delivery = {
  readonly event: LeasedEvent;
  readonly target: Target;
  readonly timeoutSeconds: number;
};

/** A first delivery of an event to a target, with anything overridden. */
export function aDelivery(
  target: Target,
  { event, body, attempt = 1, timeoutSeconds = 10 }: Overrides = {},
): Delivery {
  const delivered = aLeasedEvent({ ...event, deliveryCount: attempt });
  const bytes = body ?? Buffer.from('{"orderId": 1}');
  return { event: { ...delivered, body: bytes }, target, timeoutSeconds };
}

/** Sends a delivery by a route without outcomes of its own. */
export const send = ({ event, target, timeoutSeconds }: Delivery) =>
  sendToTarget(event, { target, policy: { timeoutSeconds, outcomes: {} } });
