import type { PublishedMessage } from './message.ts';
import { retryDelayMillis } from './retry-delay.ts';
import type { Delivery, Lease, Receiver, Subscription } from './subscription.ts';

/** Adds a message behind those with the same ordering key. */
export function enqueue(subscription: Subscription, message: PublishedMessage): void {
  const delivery = { message, attempts: 0 };
  const key = nameLane(subscription, message);
  const lane = subscription.lanes.get(key);
  if (lane) {
    lane.push(delivery);
    return;
  }
  subscription.lanes.set(key, [delivery]);
  makeReady(subscription, delivery);
}

/** Lets a receiver take part; it may be handed messages before this returns. */
export function attachReceiver(subscription: Subscription, receiver: Receiver): void {
  subscription.receivers.add(receiver);
  handOut(subscription);
}

/** Hands the receiver nothing more. What it holds stays leased, as with the real service. */
export function detachReceiver(subscription: Subscription, receiver: Receiver): void {
  subscription.receivers.delete(receiver);
}

/** Ends the delivery for good. A lease that ended before is ignored. */
export function acknowledge(subscription: Subscription, ackId: string): void {
  const lease = endLease(subscription, ackId);
  if (lease) finish(subscription, lease.delivery);
}

/** The delivery failed, by nack or by deadline: it comes back after the backoff, or goes to the dead letter topic. */
export function giveBack(subscription: Subscription, ackId: string): void {
  const lease = endLease(subscription, ackId);
  if (!lease) return;
  const { delivery } = lease;
  lease.lapsed.abort();
  if (isSpent(subscription, delivery) && subscription.forward(delivery)) {
    finish(subscription, delivery);
    return;
  }
  const delay = retryDelayMillis(subscription.wire, delivery.attempts);
  subscription.timers.after(delay, () => makeReady(subscription, delivery));
  handOut(subscription);
}

/** Counts the deadline of a lease anew; zero seconds give it back at once. */
export function extendLease(subscription: Subscription, ackId: string, seconds: number): void {
  const lease = subscription.leases.get(ackId);
  if (!lease) return;
  lease.cancelTimer();
  if (seconds === 0) giveBack(subscription, ackId);
  else lease.cancelTimer = subscription.timers.after(seconds * 1000, () => giveBack(subscription, ackId));
}

function nameLane({ wire }: Subscription, message: PublishedMessage): string {
  const isOrdered = wire.enableMessageOrdering && message.orderingKey !== '';
  return isOrdered ? `key ${message.orderingKey}` : `id ${message.messageId}`;
}

function makeReady(subscription: Subscription, delivery: Delivery): void {
  subscription.ready.push(delivery);
  handOut(subscription);
}

function handOut(subscription: Subscription): void {
  for (const receiver of subscription.receivers) {
    const deliveries = subscription.ready.splice(0, receiver.limit - receiver.outstanding);
    if (deliveries.length === 0) continue;
    receiver.receive(deliveries.map((delivery) => lease(subscription, delivery, receiver)));
  }
}

function lease(subscription: Subscription, delivery: Delivery, receiver: Receiver): Lease {
  delivery.attempts += 1;
  receiver.outstanding += 1;
  const ackId = `${delivery.message.messageId}-${delivery.attempts}`;
  const cancelTimer = () => {};
  const leased = { ackId, delivery, receiver, lapsed: new AbortController(), cancelTimer };
  subscription.leases.set(ackId, leased);
  extendLease(subscription, ackId, receiver.leaseSeconds);
  return leased;
}

function endLease(subscription: Subscription, ackId: string): Lease | undefined {
  const lease = subscription.leases.get(ackId);
  if (!lease) return undefined;
  subscription.leases.delete(ackId);
  lease.cancelTimer();
  lease.receiver.outstanding -= 1;
  return lease;
}

function isSpent({ wire }: Subscription, delivery: Delivery): boolean {
  const most = wire.deadLetterPolicy?.maxDeliveryAttempts ?? Number.POSITIVE_INFINITY;
  return delivery.attempts >= most;
}

function finish(subscription: Subscription, { message }: Delivery): void {
  const key = nameLane(subscription, message);
  const lane = subscription.lanes.get(key) ?? [];
  lane.shift();
  const [next] = lane;
  if (next) subscription.ready.push(next);
  else subscription.lanes.delete(key);
  handOut(subscription);
}
