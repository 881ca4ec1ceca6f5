import { isCredential } from '../message/credential-headers.ts';
import type { Headers, HeaderValue } from '../message/event.ts';
import { findFailureHeaders } from '../message/failure-headers.ts';
import { listValues, pickEntries, toHeaderValue } from './header-values.ts';
import { isRedelivery } from './identity.ts';
import type { Capture, Inbound, Message } from './message.ts';

/**
 * Headers of the connection, of front ends and of HTTP clients, and credentials.
 * https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const transportHeader =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|cache-control|content-(length|type)|user-agent|accept(-.*)?|via|forwarded|x-forwarded-.*|x-real-ip|x-cloud-trace-context|traceparent|tracestate|grpc-trace-bin|function-execution-id|sec-.*|x-goog-(authenticated|iap|pubsub|api)-.*|x-(google|appengine|serverless|envoy|cloudtasks)-.*|(proxy-)?authorization|cookie|x-api-key|x-auth-token|dlo-.*)$/;

/**
 * All but those of the transport. An id that the sender gave its event belongs to the message; an
 * Idempotency-Key is of the request, unless its transport names the delivery (`isOfDelivery`).
 */
export function readMessageHeaders(headers: Inbound['headers'], isOfDelivery = false): Inbound['headers'] {
  // Pub/Sub sends such a header with each push. A message attribute may have the same name.
  const isOfPush = (name: string, value: string) => name === 'from' && value === 'noreply@google.com';
  return pickEntries(headers, (name, value) => {
    if (name === 'dlo-event-id') return value !== '' && !isRedelivery(value);
    if (name === 'idempotency-key') return isOfDelivery;
    return !(transportHeader.test(name) || isOfPush(name, value));
  });
}

/** Of those that no signature covers, names of the product are ordinary ones. */
export function readUnsignedHeaders(sent: Inbound['headers']): Inbound['headers'] {
  return { ...readMessageHeaders(sent), ...pickEntries(sent, (name) => /^dlo-(?!signature$)/.test(name)) };
}

/**
 * With those of its request that the source keeps, without those that it withholds, and without credentials
 * that it does not keep. A name that ends with `*` stands for all that begin so.
 */
export function chooseHeaders(request: Inbound, headers: Headers) {
  const { source, headers: sent, unsignedHeaders, latin1Headers = [] } = request;
  const { keepHeaders = [], withholdHeaders = [] } = source ?? {};
  const kept = Object.entries({ ...sent, ...unsignedHeaders }).filter(([name]) => matches(keepHeaders, name));
  const chosen = [...kept, ...Object.entries(headers)].filter(([name]) => !matches(withholdHeaders, name));
  const withheld = Object.keys(headers).filter((name) => isCredential(name) && !matches(keepHeaders, name));
  const stored = chosen.filter(([name]) => !withheld.includes(name));
  // A header of a record or an attribute may have the name of one of its request.
  const encodingOf = (name: string, value: HeaderValue) =>
    latin1Headers.includes(name) && value === (sent[name] ?? unsignedHeaders?.[name]) ? 'latin1' : 'utf8';
  const exact = stored.map(([name, value]) => [name, toExact(value, encodingOf(name, value))] as const);
  return { headers: Object.fromEntries(exact), withheld };
}

/** As base64, if PostgreSQL cannot store it as text, or if it is no UTF-8. */
function toExact(value: HeaderValue, encoding: 'latin1' | 'utf8'): HeaderValue {
  if (Array.isArray(value)) return value.map((each) => toExact(each, encoding) as string);
  const isExact = typeof value !== 'string' || (encoding === 'utf8' && !value.includes('\0'));
  return isExact ? value : toHeaderValue(Buffer.from(value, encoding));
}

function matches(patterns: readonly string[], name: string): boolean {
  const wanted = name.toLowerCase();
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? wanted.startsWith(pattern.slice(0, -1)) : wanted === pattern,
  );
}

type Described = Pick<Capture, 'sourceKind' | 'sourceKey' | 'headers'>;

/**
 * Paths such as `key` and `headers.tenant`. U+FFFD stands for lost bytes, whatever the transport. In a record
 * that came by the connector, control characters are bytes of a number, too.
 */
export function findDamage(message: Message, described: Described) {
  const { headers, sourceKey, sourceKind } = described;
  const isBridged = cameByConnector(message, described);
  const pattern = isBridged ? lostOrBinary : lost;
  const isChanged = (each: unknown) => typeof each === 'string' && pattern.test(each);
  const names = Object.keys(headers).filter(
    (name) => lost.test(name) || listValues(headers[name]).some(isChanged),
  );
  // Most messages have no such header.
  const isOfFailure = names.length > 0 ? findFailureHeaders(headers, sourceKind) : undefined;
  const isOther = (name: string) =>
    isOfFailure?.(name) || ofBridges.test(name) || (isBridged && name === 'key');
  const damaged = names.filter((name) => !isOther(name)).map((name) => `headers.${name}`);
  return { isBridged, damaged: isChanged(sourceKey) ? ['key', ...damaged] : damaged };
}

/**
 * Google's Pub/Sub sink connector writes a record's key and headers as attributes. It turns bytes that are
 * not UTF-8 into U+FFFD, and what looks like a number or a date into Java's notation of it.
 * https://github.com/googleapis/java-pubsub-group-kafka-connector
 */
function cameByConnector({ headers, facts }: Message, { sourceKind }: Described): boolean {
  const isPubSub = facts.sourceKind === 'pubsub' || facts.sourceKind === 'eventarc';
  const isOfSink = (name: string) => name === 'key' || name.startsWith('kafka.');
  return isPubSub && (/kafka/.test(sourceKind) || Object.keys(headers).some(isOfSink));
}

/** Attributes of bridges and clients, which are no part of the original message either. */
const ofBridges = /^(kafka\.|input_record_|x-original-|x-exception-|googclient_)/i;

const lost = /\uFFFD/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that are no text
const lostOrBinary = /[\uFFFD\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
