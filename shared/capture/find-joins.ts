import type { Capture } from './message.ts';

/**
 * Finds the captures of one statement that may be of the same event as another one of it, which names no consumer: their keys
 * differ, so that each would insert an event. Returns the key of the other capture. The statement compares the two.
 */
export function findJoins(captures: readonly Capture[]): ReadonlyMap<Capture, string> {
  const joins = new Map<Capture, string>();
  if (captures.length === 1) return joins;
  const keys = new Set(captures.map(({ eventKey }) => eventKey));
  for (const capture of captures) {
    const key = withoutConsumer(capture);
    if (key !== undefined && keys.has(key)) joins.set(capture, key);
  }
  return joins;
}

/** As dlq_key_consumer has it. The ids of a delivery and digests of contents are never compared without their consumer. */
function withoutConsumer(capture: Capture): string | undefined {
  const { eventKey, isKeyPerDelivery, sourceSubscription, consumerGroup } = capture;
  if (isKeyPerDelivery || eventKey.startsWith('sha256:')) return undefined;
  const consumer = [sourceSubscription, consumerGroup].find((each) => each && eventKey.endsWith(`@${each}`));
  return consumer ? eventKey.slice(0, -1 - consumer.length) : undefined;
}
