import type { Capture } from './message.ts';

/**
 * Merges captures with equal event keys. A later capture adds the facts that earlier ones lack, and replaces none, as
 * dlq_capture_events does for captures of different statements.
 */
export function mergeCaptures(captures: readonly Capture[]): Capture[] {
  const merged = new Map<string, Capture>();
  for (const capture of captures) {
    const earlier = merged.get(capture.eventKey);
    merged.set(capture.eventKey, earlier ? fillGaps(earlier, capture) : capture);
  }
  return [...merged.values()];
}

function fillGaps(earlier: Capture, later: Capture): Capture {
  const known = Object.entries(earlier).filter(([, fact]) => fact !== null);
  return { ...later, ...Object.fromEntries(known) };
}
