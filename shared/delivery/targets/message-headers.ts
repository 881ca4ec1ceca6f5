import { isObject, printJson } from '../../json/parse-json.ts';
import type { HeaderValue } from '../../message/event.ts';
import { findFailureHeaders, isDeadLetter } from '../../message/failure-headers.ts';
import { type LeasedEvent, restoreKey } from '../leased-event.ts';

/** The facts that decide which headers of an event belong to its message. */
export type KeyedHeaders = Pick<LeasedEvent, 'headers' | 'sourceKind' | 'sourceKey' | 'sourceKeyBytes'>;

/**
 * The headers of an event that belong to its message: all but those about the failure, such as the `dlo-`
 * headers in which a sender stated it. The attributes that Google's Pub/Sub sink connector adds describe the
 * record that it read: for a dead letter, one in the dead-letter topic; `isRecord` is a message for Kafka, of
 * which they are no part either. Any other message was published with them.
 */
export function listMessageHeaders(event: KeyedHeaders, isRecord = false): [string, HeaderValue][] {
  const { headers, sourceKind } = event;
  const isOfFailure = findFailureHeaders(headers, sourceKind);
  const isOfBridge =
    isRecord || isDeadLetter(headers, isOfFailure) ? findBridgeAttributes(event) : () => false;
  return Object.entries(headers)
    .filter(([name]) => !isOfFailure(name) && !isOfBridge(name))
    .map(([name, value]) => [name, toHeaderValue(value)]);
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

/**
 * Whether a stored header of a CloudEvent is one of its attributes: a body that is still encoded has its
 * encoding among them.
 */
export function isAttribute(name: string): boolean {
  return name !== 'content-encoding';
}

/**
 * Finds the attribute of a CloudEvent that a stored header is, by its name: those of HTTP are stored without
 * a prefix, those of Pub/Sub have `ce-`, and those of Kafka `ce_`. Undefined for any other header.
 */
export function findAttributes(headers: KeyedHeaders['headers']): (name: string) => string | undefined {
  const prefix = ['', 'ce-', 'ce_'].find((each) => `${each}specversion` in headers);
  if (prefix === undefined) return () => undefined;
  return (name) => (name.startsWith(prefix) && isAttribute(name) ? name.slice(prefix.length) : undefined);
}

/** The bytes of each value of a header. */
export function listBytes(value: HeaderValue): Buffer[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) =>
    typeof each === 'string' ? Buffer.from(each) : Buffer.from(each.base64, 'base64'),
  );
}
