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
  const distinct: Capture[] = [];
  const byKey = new Map<string, number[]>();
  const indexes = captures.map((capture) => {
    const known = byKey.get(capture.eventKey);
    if (!known) {
      byKey.set(capture.eventKey, [distinct.length]);
      return distinct.push(capture) - 1;
    }
    const same = known.filter((index) => isSameMessage(distinct[index], capture));
    const { deliveryId } = capture;
    const repeated = same.find((index) => deliveryId !== null && distinct[index]?.deliveryId === deliveryId);
    const latest = same.length < maxPerMessage ? undefined : same.at(-1);
    const index = repeated ?? latest;
    if (index !== undefined) return index;
    known.push(distinct.length);
    return distinct.push(capture) - 1;
  });
  return { distinct, indexes };
}

function isSameMessage(known: Capture | undefined, capture: Capture): boolean {
  return (
    known?.eventType === capture.eventType &&
    known.sourceTopic === capture.sourceTopic &&
    known.contentRank === capture.contentRank &&
    known.body.equals(capture.body)
  );
}
