import { isObject, parseJson } from '../json/parse-json.ts';
import { findTraceId } from './column-values.ts';
import { findHeader, firstText, type Headers } from './header-values.ts';
import { findApplicationId, keyFromCloudEvent, keyFromId } from './identity.ts';

/**
 * The facts that applications write into the headers of a message, whatever its broker, with a key from an id
 * that survives republishing: the application's, else that of a CloudEvent. The delivery's own traceparent
 * counts only if the message has none. `__TypeId__` is Spring's header for the class.
 */
export function readHeaderFacts(headers: Headers, traceparent?: string) {
  const header = (name: string) => firstText(findHeader(headers, name));
  const attribute = (name: string) => header(`ce-${name}`) ?? header(`ce_${name}`);
  const [own, id] = [findApplicationId(headers), attribute('id')];
  const eventKey = own === null ? keyFromCloudEvent(attribute('source'), id) : keyFromId(own);
  return {
    ...(eventKey !== undefined && { eventKey }),
    eventId: own ?? id,
    eventType: header('event_type') ?? header('eventType') ?? attribute('type') ?? header('__TypeId__'),
    traceId: findTraceId(
      header('googclient_traceparent'),
      readSpanContext(header('googclient_OpenTelemetrySpanContext')),
      header('traceparent'),
      attribute('traceparent'),
      traceparent,
    ),
  };
}

/** Older Pub/Sub clients propagate the trace as JSON. */
function readSpanContext(attribute: string | null): string | null {
  const context = attribute === null ? undefined : parseJson(attribute);
  return isObject(context) ? `00-${context.traceId}-${context.spanId}-01` : null;
}
