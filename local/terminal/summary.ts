import type { Counts } from '../database/counts.ts';

/** `pending 3, processing 0, succeeded 12, failed permanently 1`, and what else there is. */
export function describeCounts(counts: Counts, unrouted: number): string {
  const parts = [
    ['pending', counts.PENDING ?? 0],
    ['processing', counts.PROCESSING ?? 0],
    ['succeeded', counts.SUCCEEDED ?? 0],
    ['failed permanently', counts.FAILED_PERMANENTLY ?? 0],
  ];
  if (counts.DISCARDED) parts.push(['discarded', counts.DISCARDED]);
  if (unrouted > 0) parts.push(['without a route', unrouted]);
  return parts.map(([name, count]) => `${count} ${name}`).join(', ');
}
