import type { Capture } from './message.ts';

/**
 * Captures by event key, each key once. Where a key comes twice the earlier one's facts stand, and the later one
 * fills in what it left open: what capture-events.sql does between statements, done within one.
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
