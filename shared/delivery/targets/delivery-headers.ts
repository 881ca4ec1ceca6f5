import { randomBytes } from 'node:crypto';
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

/** Headers that carry a trace: the one of W3C, and the one of Pub/Sub client libraries. */
const transports = /^(googclient_)?traceparent$/i;

const original = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-([\da-f]{2})/;

/**
 * Continues the trace in which an event failed. Returns a `traceparent` (W3C Trace Context, 3.2) of the same
 * trace with a new span, under each header name that the message used, or under `traceparent`. Empty if the
 * event has no valid trace. The attribute of a CloudEvent is not changed: it records how the event was
 * created, not how it was transported (Distributed Tracing extension 1.0.2).
 */
export function continueTrace(event: Pick<LeasedEvent, 'traceId' | 'headers'>): Record<string, string> {
  if (!/^(?!0{32})[\da-f]{32}$/.test(event.traceId ?? '')) return {};
  const isCloudEvent = 'specversion' in event.headers;
  const names = Object.keys(event.headers).filter((name) => !isCloudEvent && transports.test(name));
  const [flags = '01'] = names.flatMap((name) => original.exec(String(event.headers[name]))?.[1] ?? []);
  const traceparent = `00-${event.traceId}-${randomBytes(8).toString('hex')}-${flags}`;
  return Object.fromEntries((names.length > 0 ? names : ['traceparent']).map((name) => [name, traceparent]));
}
