import { randomBytes } from 'node:crypto';
import type { LeasedEvent } from '../events.ts';

/** Names under which a message carries its trace: W3C's own, and that of Pub/Sub's clients. */
const carriers = /^(googclient_)?traceparent$/i;

const original = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-([\da-f]{2})/;

/**
 * The trace that an event failed in, continued: a `traceparent` (W3C Trace Context, 3.2) of the same trace with a span of
 * this delivery, under each name that the message had it by, or its own. Nothing where the event has no such trace. The
 * attribute of a CloudEvent stays as it is: it tells how the event was made, not how it came here (Distributed Tracing
 * extension 1.0.2).
 */
export function continueTrace(event: Pick<LeasedEvent, 'trace_id' | 'headers'>): Record<string, string> {
  if (!/^(?!0{32})[\da-f]{32}$/.test(event.trace_id ?? '')) return {};
  const isCloudEvent = 'specversion' in event.headers;
  const names = Object.keys(event.headers).filter((name) => !isCloudEvent && carriers.test(name));
  const [flags = '01'] = names.flatMap((name) => original.exec(String(event.headers[name]))?.[1] ?? []);
  const traceparent = `00-${event.trace_id}-${randomBytes(8).toString('hex')}-${flags}`;
  return Object.fromEntries((names.length > 0 ? names : ['traceparent']).map((name) => [name, traceparent]));
}
