import { randomBytes } from 'node:crypto';
import { isObject, printJson } from '../../json/parse-json.ts';
import type { HeaderValue } from '../../message/event.ts';
import { findFailureHeaders } from '../../message/failure-headers.ts';
import { type LeasedEvent, restoreKey } from '../leased-event.ts';

export type KeyedHeaders = Pick<LeasedEvent, 'headers' | 'sourceKind' | 'sourceKey' | 'sourceKeyBytes'>;

/** `attribute`: that of a CloudEvent which it is; those from Kafka begin with `ce_`, others with `ce-`. */
type MessageHeader = {
  readonly name: string;
  readonly value: HeaderValue;
  readonly attribute: string | undefined;
};

/**
 * The headers of an event that belong to its message: all but those about the failure, such as the `dlo-`
 * headers in which a sender stated it. The attributes that Google's Pub/Sub sink connector adds describe the
 * record that it read: for a dead letter, one in the dead-letter topic; `isRecord` is a message for Kafka, of
 * which they are no part either. Any other message was published with them.
 */
export function listMessageHeaders(event: KeyedHeaders, isRecord = false): MessageHeader[] {
  const { headers, sourceKind } = event;
  const isOfFailure = findFailureHeaders(headers, sourceKind);
  const isDeadLetter = Object.keys(headers).some((name) => isOfFailure(name) && !/^dlo-/i.test(name));
  const prefix = ['ce-', 'ce_'].find((each) => `${each}specversion` in headers);
  const attributeOf = (name: string) =>
    prefix !== undefined && name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  const isOfBridge = isRecord || isDeadLetter ? findBridgeAttributes(event) : () => false;
  return Object.entries(headers)
    .filter(([name]) => !isOfFailure(name) && !isOfBridge(name))
    .map(([name, value]) => ({ name, value: toHeaderValue(value), attribute: attributeOf(name) }));
}

/** Plain SQL may store any JSON as the value of a header: it is sent as its text. */
function toHeaderValue(value: unknown): HeaderValue {
  return Array.isArray(value) ? value.map(toSingleValue) : toSingleValue(value);
}

function toSingleValue(value: unknown): string | { readonly base64: string } {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.base64 === 'string' ? { base64: value.base64 } : printJson(value);
}

function findBridgeAttributes(event: KeyedHeaders): (name: string) => boolean {
  const { headers } = event;
  const key = restoreKey(event);
  // Without the position, which is optional, only an equal value shows that `key` is the record's key.
  if ('kafka.topic' in headers)
    return (name) => /^(kafka\.(topic|partition|offset|timestamp)|key)$/.test(name);
  const isKey =
    key !== null && listBytes(toHeaderValue(headers.key ?? '')).every((bytes) => bytes.equals(key));
  return (name) => name === 'key' && isKey;
}

/** The bytes of each value of a header. */
export function listBytes(value: HeaderValue): Buffer[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) =>
    typeof each === 'string' ? Buffer.from(each) : Buffer.from(each.base64, 'base64'),
  );
}

/** `dlo-event-id` recognizes a recurrence; `dlo-damaged` has what a bridge changed on the way to capture. */
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
 * A `traceparent` (W3C Trace Context, 3.2) of the same trace with a new span, under each header name that the
 * message used, or under `traceparent`. The attribute of a CloudEvent is not changed: it records how the
 * event was created, not how it was transported (Distributed Tracing extension 1.0.2).
 */
export function continueTrace(event: Pick<LeasedEvent, 'traceId' | 'headers'>): Record<string, string> {
  if (!/^(?!0{32})[\da-f]{32}$/.test(event.traceId ?? '')) return {};
  const names = Object.keys(event.headers).filter((name) => transports.test(name));
  const [flags = '01'] = names.flatMap((name) => original.exec(String(event.headers[name]))?.[1] ?? []);
  const traceparent = `00-${event.traceId}-${randomBytes(8).toString('hex')}-${flags}`;
  return Object.fromEntries((names.length > 0 ? names : ['traceparent']).map((name) => [name, traceparent]));
}
