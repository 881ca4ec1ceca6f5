import type { Counts } from '../database/counts.ts';

/** Formats a number of events: `1 event`, `2 events`. */
export function formatEvents(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}

/** Formats counts above zero: `2 pubsub, 1 report`, or `all pubsub` if only one is. */
export function formatKinds(counts: Iterable<readonly [name: string, count: number]>): string {
  const some = [...counts].filter(([, count]) => count > 0);
  const [only] = some;
  if (only && some.length === 1) return only[1] === 1 ? only[0] : `all ${only[0]}`;
  return some.map(([name, count]) => `${count} ${name}`).join(', ');
}

/** Formats counts by status: `3 pending, 0 processing, 12 succeeded, 1 failed permanently`. */
export function formatStatuses(counts: Counts, unrouted = 0): string {
  const items: [count: number, name: string, isOptional?: boolean][] = [
    [counts.PENDING ?? 0, 'pending'],
    [counts.PROCESSING ?? 0, 'processing'],
    [counts.SUCCEEDED ?? 0, 'succeeded'],
    [counts.FAILED_PERMANENTLY ?? 0, 'failed permanently'],
    [counts.DISCARDED ?? 0, 'discarded', true],
    [unrouted, 'without a route', true],
  ];
  const shown = items.filter(([count, , isOptional]) => count > 0 || !isOptional);
  return shown.map(([count, name]) => `${count} ${name}`).join(', ');
}
