import { isObject, parseJson } from '../json/parse-json.ts';
import type { HeaderValue } from '../message/event.ts';
import type { Headers } from './header-values.ts';

/**
 * The text of a header that Kafka Connect's JsonConverter wrote, which Debezium Server uses for headers: a
 * JSON string, or an object with the schema beside it. Any other text is its own.
 * https://debezium.io/documentation/reference/stable/operations/debezium-server.html#debezium-format-configuration-options
 */
export function unwrapConnectText(text: string): string {
  if (!isMaybeWrapped(text)) return text;
  const json = parseJson(text);
  const isWrapped = isObject(json) && isObject(json.schema) && 'payload' in json;
  const value = isWrapped ? json.payload : json;
  return typeof value === 'string' ? value : text;
}

/**
 * The headers with the texts that JsonConverter wrote, to read facts from them: the message keeps its own.
 */
export function unwrapConnectHeaders(headers: Headers): Headers {
  const wrapped = Object.entries(headers).filter(([, value]) => [value].flat().some(isMaybeWrapped));
  if (wrapped.length === 0) return headers;
  const unwrap = (value: unknown) => (typeof value === 'string' ? unwrapConnectText(value) : value);
  const unwrapped = wrapped.map(([name, value]) => {
    return [name, (Array.isArray(value) ? value.map(unwrap) : unwrap(value)) as HeaderValue] as const;
  });
  return { ...headers, ...Object.fromEntries(unwrapped) };
}

function isMaybeWrapped(value: unknown): boolean {
  return typeof value === 'string' && /^["{]/.test(value);
}
