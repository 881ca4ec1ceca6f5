import type { PublishedMessage } from './message.ts';
import type { WireSubscription } from './protocol.ts';
import type { RpcError } from './rpc-error.ts';
import { createTimers, type Timers } from './timers.ts';

/** One message on its way to one subscription; `attempts` counts how often it was handed out. */
export type Delivery = { readonly message: PublishedMessage; attempts: number };

/** A delivery that a receiver holds for a limited time. */
export type Lease = {
  readonly ackId: string;
  readonly delivery: Delivery;
  readonly receiver: Receiver;
  /** Aborted when the lease ends without an answer, so that nobody waits for one any longer. */
  readonly lapsed: AbortController;
  cancelTimer: () => void;
};

/** Whoever takes messages from a subscription: a push endpoint, a pull request, a stream. */
export type Receiver = {
  /** How many leases it holds at most, and holds now. */
  readonly limit: number;
  outstanding: number;
  leaseSeconds: number;
  receive(leases: readonly Lease[]): void;
  /** The subscription goes away. */
  close(reason: RpcError): void;
};

export type Subscription = {
  readonly wire: WireSubscription;
  /** Deliveries in order, by ordering key. Only the head of a lane may be out; a message without a key has its own. */
  readonly lanes: Map<string, Delivery[]>;
  readonly ready: Delivery[];
  readonly leases: Map<string, Lease>;
  readonly receivers: Set<Receiver>;
  readonly timers: Timers;
  /** Publishes a delivery that failed for the last time to the dead letter topic; false when it has to stay. */
  readonly forward: (delivery: Delivery) => boolean;
};

/** Opens a subscription that is empty and has no receivers. */
export function openSubscription(wire: WireSubscription, forward: Subscription['forward']): Subscription {
  return {
    wire,
    lanes: new Map(),
    ready: [],
    leases: new Map(),
    receivers: new Set(),
    timers: createTimers(),
    forward,
  };
}

/** Drops everything the subscription holds and tells its receivers why. */
export function closeSubscription(subscription: Subscription, reason: RpcError): void {
  const { leases, receivers } = subscription;
  subscription.timers.clear();
  subscription.lanes.clear();
  subscription.ready.length = 0;
  for (const { lapsed } of leases.values()) lapsed.abort();
  leases.clear();
  for (const receiver of receivers) receiver.close(reason);
  receivers.clear();
}
