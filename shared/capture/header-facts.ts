import { isObject, parseJson } from '../json/parse-json.ts';
import { type Headers, readHeader } from './header-values.ts';
import { findApplicationId } from './identity.ts';
import type { Facts } from './message.ts';
import { findTraceId } from './trace-id.ts';

/**
 * The facts that applications write into the headers of a message, whatever its broker. The delivery's own
 * traceparent counts only if the message has none.
 */
export function readHeaderFacts(
  headers: Headers,
  traceparent: string | undefined,
): Pick<Facts, 'eventId' | 'eventType' | 'traceId'> {
  const header = (name: string) => readHeader(headers, name);
  return {
    eventId: findApplicationId(headers) ?? header('ce-id'),
    eventType: header('event_type') ?? header('eventType') ?? header('ce-type') ?? 'unknown',
    traceId: findTraceId(
      header('googclient_traceparent'),
      readSpanContext(header('googclient_OpenTelemetrySpanContext')),
      header('traceparent'),
      header('ce-traceparent'),
      traceparent,
    ),
  };
}

/** Older Pub/Sub clients propagate the trace as JSON. */
function readSpanContext(attribute: string | null): string | null {
  const context = attribute === null ? undefined : parseJson(attribute);
  return isObject(context) ? `00-${context.traceId}-${context.spanId}-01` : null;
}
