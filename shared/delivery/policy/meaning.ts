import type { Outcome } from '../targets/outcome.ts';

/**
 * The subject of the outcome of a delivery. `limit`: the target takes no more for now. `target`: what no event
 * can cause. `event`: an answer to this event, of which the target may answer others differently; a timeout
 * counts for the event first.
 */
export type Meaning = 'accepted' | 'limit' | 'target' | 'event';

const aboutTarget = new Set(['unsent', '502', '503', '504', '520', 'grpc:UNAVAILABLE']);
const aboutLimit = new Set(['429', 'grpc:RESOURCE_EXHAUSTED']);

/** Returns what an outcome is about, by its reason codes. */
export function meaningOf({ kind, reasonCodes = [], retryAfterSeconds }: Outcome): Meaning {
  if (kind === 'delivered') return 'accepted';
  const has = (codes: ReadonlySet<string>) => reasonCodes.some((code) => codes.has(code));
  if (has(aboutLimit) || (reasonCodes.includes('503') && retryAfterSeconds !== undefined)) return 'limit';
  return has(aboutTarget) || isCutOff({ reasonCodes }) ? 'target' : 'event';
}

/** Whether the connection ended before an answer. */
export function isCutOff({ reasonCodes = [] }: Pick<Outcome, 'reasonCodes'>): boolean {
  return reasonCodes.includes('unanswered') && !reasonCodes.includes('timeout');
}
