import { type Headers, readerOf } from './header-value.ts';
import { findApplicationId } from './identity.ts';
import type { Facts } from './message.ts';
import { findTraceId, isObject, parseJson } from './text.ts';

/** What applications tell in the headers of a message, whatever its broker; the trace of the delivery comes last. */
export function readHeaderFacts(
  headers: Headers,
  traceparent: string | undefined,
): Pick<Facts, 'eventId' | 'eventType' | 'traceId'> {
  const told = readerOf(headers);
  return {
    eventId: findApplicationId(headers) ?? told('ce-id'),
    eventType: told('event_type') ?? told('eventType') ?? told('ce-type') ?? 'unknown',
    traceId: findTraceId(
      told('googclient_traceparent'),
      readSpanContext(told('googclient_OpenTelemetrySpanContext')),
      told('traceparent'),
      told('ce-traceparent'),
      traceparent,
    ),
  };
}

/** Older clients of Pub/Sub hand the trace on as JSON. */
function readSpanContext(attribute: string | null): string | null {
  const context = attribute === null ? undefined : parseJson(attribute);
  return isObject(context) ? `00-${context.traceId}-${context.spanId}-01` : null;
}
