import type { PublishedMessage } from './message.ts';

/** The messages of a subscription that are not acknowledged, oldest first, and those that a receiver holds, by ack id. */
export type Backlog = {
  readonly messages: PublishedMessage[];
  readonly leases: Map<string, PublishedMessage>;
  readonly isOrdered: boolean;
  /** Number of leases so far. */
  leased: number;
  /** Seconds of each extension of a lease. */
  readonly holds: number[];
};

export function createBacklog(isOrdered: boolean): Backlog {
  return { messages: [], leases: new Map(), isOrdered, leased: 0, holds: [] };
}

/**
 * Hands out messages that no receiver holds. With ordering, messages of a key are handed out together, and the next ones
 * after those were acknowledged (https://cloud.google.com/pubsub/docs/ordering).
 */
export function lease(backlog: Backlog, maxMessages: number) {
  const { messages, leases, isOrdered } = backlog;
  const held = new Set(leases.values());
  const heldKeys = new Set([...held].map(({ orderingKey }) => orderingKey));
  const isFree = (message: PublishedMessage) =>
    !held.has(message) && !(isOrdered && message.orderingKey !== '' && heldKeys.has(message.orderingKey));
  return messages
    .filter(isFree)
    .slice(0, maxMessages)
    .map((message) => {
      backlog.leased += 1;
      const ackId = `${message.messageId}-${backlog.leased}`;
      leases.set(ackId, message);
      const millis = message.publishTime.getTime();
      const publishTime = { seconds: Math.floor(millis / 1000), nanos: (millis % 1000) * 1e6 };
      return { ackId, message: { ...message, publishTime } };
    });
}

/** Removes messages. The ack id of a lease that has ended is ignored. */
export function acknowledge({ messages, leases }: Backlog, ackIds: readonly string[]): void {
  for (const ackId of ackIds) {
    const message = leases.get(ackId);
    leases.delete(ackId);
    if (message) messages.splice(messages.indexOf(message), 1);
  }
}

/** Extends leases, which do not end by themselves here, or ends them by 0 seconds. */
export function hold({ leases, holds }: Backlog, ackIds: readonly string[], seconds: number): void {
  holds.push(seconds);
  if (seconds === 0) for (const ackId of ackIds) leases.delete(ackId);
}
