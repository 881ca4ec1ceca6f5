import type { LeasedEvent } from '../leased-event.ts';

/**
 * The headers of every redelivery: `dlo-event-id: <id>.<token>`, by which a recurrence is recognized,
 * `dlo-attempt` from 1, and `dlo-damaged` with what a bridge changed on the way to capture.
 */
export function deliveryHeaders(
  { redelivery, damaged }: Pick<LeasedEvent, 'redelivery' | 'damaged'>,
  attempt: number,
): [name: string, value: string][] {
  return [
    ['dlo-event-id', redelivery],
    ['dlo-attempt', String(attempt)],
    ...(damaged ? [['dlo-damaged', toHeader(damaged)] as [string, string]] : []),
  ];
}

/** Names of headers may have any characters; those of HTTP and Pub/Sub have limits. */
function toHeader(names: readonly string[]): string {
  return names
    .join(', ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 1000);
}
