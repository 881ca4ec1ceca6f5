import { isObject, parseJson } from '../json/parse-json.ts';
import type { Headers, HeaderValue } from '../message/event.ts';
import { findTraceId } from './column-values.ts';
import { decodeBase64, decodeUtf8 } from './decode-bytes.ts';
import { findHeader, firstText } from './header-values.ts';
import { findApplicationId, keyFromId } from './identity.ts';

/**
 * What applications write, whatever the broker. The key is an id that survives republishing: the
 * application's, else a CloudEvent's. The delivery's own traceparent counts only if the message has none.
 * `__TypeId__` is Spring's.
 */
export function readHeaderFacts(written: Headers, traceparent?: unknown) {
  const headers = unwrapHeaders(written);
  const header = (name: string) => firstText(findHeader(headers, name));
  const attribute = (name: string) => header(`ce-${name}`) ?? header(`ce_${name}`);
  const [own, id, source] = [findApplicationId(headers), attribute('id'), attribute('source')];
  const eventKey = own === null ? id && source && `ce:${source}#${id}` : keyFromId(own);
  return {
    ...(eventKey && { eventKey }),
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

const debeziumPrefix = 'x-debezium-';

/**
 * The texts that Kafka Connect wrapped in JSON, to read facts from. Debezium Server prefixes its headers and
 * encodes them in base64 unless configured otherwise.
 * https://debezium.io/documentation/reference/stable/operations/debezium-server.html#debezium-format-configuration-options
 */
export function unwrapHeaders(headers: Headers): Headers {
  const names = Object.keys(headers);
  const isWrapped = (name: string) => name.startsWith(debeziumPrefix) || isMaybeJson(headers[name]);
  if (!names.some(isWrapped)) return headers;
  return Object.fromEntries(
    names.map((name) => {
      const value = headers[name] ?? '';
      if (!name.startsWith(debeziumPrefix) || typeof value !== 'string') return [name, unwrap(value)];
      const bytes = decodeBase64(value);
      return [name.slice(debeziumPrefix.length), unwrap((bytes && decodeUtf8(bytes)) ?? value)];
    }),
  );
}

function isMaybeJson(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isMaybeJson) : typeof value === 'string' && /^["{]/.test(value);
}

/** A JSON string, or an object with the schema beside it. Any other text is its own. */
function unwrap(value: HeaderValue): HeaderValue {
  if (Array.isArray(value)) return value.map((each) => unwrap(each) as string);
  const json = isMaybeJson(value) ? parseJson(value as string) : undefined;
  const text = isObject(json) && isObject(json.schema) ? json.payload : json;
  return typeof text === 'string' ? text : value;
}
