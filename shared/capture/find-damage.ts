import { findFailureHeaders } from '../message/failure-headers.ts';
import { listValues } from './header-values.ts';
import type { Capture, Message } from './message.ts';

type Described = Pick<Capture, 'sourceKind' | 'sourceKey' | 'headers'>;

/**
 * Google's Pub/Sub sink connector writes a record's key and headers as attributes. It turns bytes that are
 * not UTF-8 into U+FFFD, and what looks like a number or a date into Java's notation of it.
 * https://github.com/googleapis/java-pubsub-group-kafka-connector
 */
export function isBridged({ headers, facts }: Message, { sourceKind }: Pick<Capture, 'sourceKind'>): boolean {
  const isPubSub = facts.sourceKind === 'pubsub' || facts.sourceKind === 'eventarc';
  const isOfSink = (name: string) => name === 'key' || name.startsWith('kafka.');
  return isPubSub && (/kafka/.test(sourceKind) || Object.keys(headers).some(isOfSink));
}

/**
 * Paths such as `key` and `headers.tenant`. U+FFFD stands for lost bytes, whatever the transport. In a record
 * that came by the connector, control characters are bytes of a number, too.
 */
export function findDamage(described: Described, bridged: boolean) {
  const damage = bridged ? lostOrBinary : lost;
  const damaged = listChanged(described, damage, bridged);
  const isKeyDamaged = described.sourceKey !== null && damage.test(described.sourceKey);
  return { damaged: isKeyDamaged ? ['key', ...damaged] : damaged };
}

function listChanged({ headers, sourceKind }: Described, pattern: RegExp, bridged: boolean): string[] {
  const isChanged = (each: unknown) => typeof each === 'string' && pattern.test(each);
  const names = Object.keys(headers).filter(
    (name) => lost.test(name) || listValues(headers[name]).some(isChanged),
  );
  // Last, because most messages have no such header.
  if (names.length === 0) return [];
  const isOfFailure = findFailureHeaders(headers, sourceKind);
  const isOther = (name: string) => isOfFailure(name) || ofBridges.test(name) || (bridged && name === 'key');
  return names.filter((name) => !isOther(name)).map((name) => `headers.${name}`);
}

/** Attributes of bridges and clients, which are no part of the original message either. */
const ofBridges = /^(kafka\.|x-original-|x-exception-|googclient_)/i;

const lost = /\uFFFD/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that are no text
const lostOrBinary = /[\uFFFD\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
