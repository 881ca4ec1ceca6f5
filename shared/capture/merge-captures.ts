import { digest } from './identity.ts';
import type { Capture } from './message.ts';

/** An event keeps what its first 20 captures say (dlq_add_other_captures). */
const maxPerMessage = 20;

/**
 * Leaves out repetitions within one statement. `distinct` has the captures to store, `indexes` the index there of each
 * given capture. Of one message more than 20 captures are left out, too: each would be a round of dlq_capture_events.
 */
export function mergeCaptures(captures: readonly Capture[]): {
  readonly distinct: readonly Capture[];
  readonly indexes: readonly number[];
} {
  const stored = new Map<Capture, Capture>();
  for (const sameKey of Map.groupBy(captures, ({ eventKey }) => eventKey).values()) {
    if (sameKey.length === 1) continue;
    for (const sameMessage of Map.groupBy(sameKey, nameMessage).values()) mergeMessage(sameMessage, stored);
  }
  if (stored.size === 0) return { distinct: captures, indexes: [...captures.keys()] };
  const distinct = captures.filter((capture) => !stored.has(capture));
  const places = new Map(distinct.map((capture, index) => [capture, index]));
  return { distinct, indexes: captures.map((capture) => places.get(stored.get(capture) ?? capture) ?? 0) };
}

/** Enters each capture that is left out, with the one that is stored in its place. */
function mergeMessage(captures: readonly Capture[], stored: Map<Capture, Capture>): void {
  const kept: Capture[] = [];
  for (const capture of captures) {
    const { deliveryId } = capture;
    const repeated = kept.find((other) => deliveryId !== null && other.deliveryId === deliveryId);
    const last = kept.length < maxPerMessage ? undefined : kept.at(-1);
    const other = repeated ?? last;
    if (other) stored.set(capture, other);
    else kept.push(capture);
  }
}

/** Captures with one name agree in all that decides which event they belong to, and whether one is permanent. */
function nameMessage(capture: Capture): string {
  const { redelivery, eventType, sourceTopic, contentRank, errorKind, body } = capture;
  const time = messageTime(capture);
  return JSON.stringify([redelivery, eventType, sourceTopic, time, contentRank, errorKind, digest(body)]);
}

/** The time that tells messages without any id apart, as dlq_message_time has it. */
function messageTime({ eventKey, occurredAt, metadata }: Capture): unknown {
  return eventKey.startsWith('sha256:') ? (occurredAt ?? metadata?.deadLetteredAt) : null;
}
