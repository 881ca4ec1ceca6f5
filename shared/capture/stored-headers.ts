import { isCredential } from '../message/credential-headers.ts';
import type { Headers, HeaderValue } from '../message/event.ts';
import { pickHeaders, toHeaderValue } from './header-values.ts';
import { findSenderId } from './identity.ts';
import type { Inbound } from './message.ts';

/**
 * Headers of the connection, of front ends and of HTTP clients, and credentials.
 * https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const transportHeader =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|cache-control|content-(length|type)|user-agent|accept(-.*)?|via|forwarded|x-forwarded-.*|x-real-ip|x-cloud-trace-context|traceparent|tracestate|grpc-trace-bin|function-execution-id|sec-.*|x-goog-(authenticated|iap|pubsub|api)-.*|x-(google|appengine|serverless|envoy|cloudtasks)-.*|(proxy-)?authorization|cookie|x-api-key|x-auth-token|dlo-.*)$/;

/** All but those of the transport. An id that the sender gave its event belongs to the message. */
export function readMessageHeaders(headers: Inbound['headers']): Inbound['headers'] {
  const isSenderId = findSenderId(headers) !== null;
  // Pub/Sub sends such a header with each push. A message attribute may have the same name.
  const isOfPush = (name: string, value: string) => name === 'from' && value === 'noreply@google.com';
  return pickHeaders(headers, (name, value) => {
    if (name === 'dlo-event-id') return isSenderId;
    return !(transportHeader.test(name) || isOfPush(name, value));
  });
}

/** Of those that no signature covers, `dlo-event-id` is an ordinary header. */
export function readUnsignedHeaders(headers: Inbound['headers']): Inbound['headers'] {
  return pickHeaders(headers, (name) => {
    if (/^dlo-(?!signature$)/.test(name)) return true;
    return !transportHeader.test(name) && name !== 'idempotency-key';
  });
}

/**
 * With those of its request that the source keeps, without those that it withholds, and without credentials
 * that it does not keep. A name that ends with `*` stands for all that begin so.
 */
export function chooseHeaders(request: Inbound, headers: Headers) {
  const { source, headers: sent, unsignedHeaders, latin1Headers = [] } = request;
  const names = Object.keys(headers);
  // Most messages are stored as they came.
  const isPlain = names.every((name) => !isCredential(name) && isStorable(headers[name]));
  if (!source && latin1Headers.length === 0 && isPlain) return { headers, withheld: [] };
  const { keepHeaders = [], withholdHeaders = [] } = source ?? {};
  const kept = Object.entries({ ...sent, ...unsignedHeaders }).filter(([name]) => matches(keepHeaders, name));
  const chosen = [...kept, ...Object.entries(headers)].filter(([name]) => !matches(withholdHeaders, name));
  const withheld = names.filter((name) => isCredential(name) && !matches(keepHeaders, name));
  const stored = chosen.filter(([name]) => !withheld.includes(name));
  return {
    headers: Object.fromEntries(
      stored.map(([name, value]) => [name, toExact(value, latin1Headers.includes(name) ? 'latin1' : 'utf8')]),
    ),
    withheld,
  };
}

/** As base64, if PostgreSQL cannot store it as text, or if it is no UTF-8. */
function toExact(value: HeaderValue, encoding: 'latin1' | 'utf8'): HeaderValue {
  if (Array.isArray(value)) return value.map((each) => toExact(each, encoding) as string);
  const isExact = typeof value !== 'string' || (encoding === 'utf8' && isStorable(value));
  return isExact ? value : toHeaderValue(Buffer.from(value, encoding));
}

function isStorable(value: HeaderValue | undefined): boolean {
  return Array.isArray(value) ? value.every(isStorable) : typeof value !== 'string' || !value.includes('\0');
}

function matches(patterns: readonly string[], name: string): boolean {
  const wanted = name.toLowerCase();
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? wanted.startsWith(pattern.slice(0, -1)) : wanted === pattern,
  );
}
