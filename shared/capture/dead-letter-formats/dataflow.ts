import { isObject } from '../../json/parse-json.ts';
import { minify, sliceMembers } from '../../json/slice-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readHeader } from '../header-values.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import type { Capture, DeadLetterFormat, Message } from '../message.ts';
import { isWholly } from '../wholly.ts';

/**
 * A message that one of Google's Dataflow templates could not process: wrapped in JSON with the error, as a row of a
 * BigQuery dead-letter table, as a line of dead letters in Cloud Storage, or unchanged with the error in an attribute.
 * https://github.com/GoogleCloudPlatform/DataflowTemplates
 */
export const readDataflow: DeadLetterFormat = (message) => {
  const { json } = message;
  const found = isObject(json) ? (readWrapped(json, message) ?? readRetried(json, message)) : undefined;
  return found ?? readAttributes(message);
};

const wrapperNames = new Set([
  ...['payloadString', 'payloadBytes', 'attributes', 'errorMessage', 'stackTrace', 'stacktrace', 'timestamp'],
  'timeSent',
]);

/** The templates for Elasticsearch write `stackTrace`, those for BigQuery `stacktrace`. */
function readWrapped(json: Record<string, unknown>, message: Message): Partial<Capture> | undefined {
  const { payloadString: text, payloadBytes: base64, errorMessage } = json;
  if (typeof errorMessage !== 'string' || !isWholly(json, wrapperNames)) return undefined;
  if (typeof text !== 'string' && typeof base64 !== 'string') return undefined;
  const body = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Buffer.from(String(text));
  if (body.length === 0) return undefined;
  const headers = { ...message.headers, ...readPairs(json.attributes) };
  const { eventId, eventType, traceId } = readHeaderFacts(headers, undefined);
  const { facts } = message;
  return {
    body,
    headers,
    eventKey: keyFromHeaders(headers) ?? findTransportKey(message) ?? keyFromContent(body),
    eventId: eventId ?? facts.eventId ?? null,
    eventType: eventType === 'unknown' ? (facts.eventType ?? eventType) : eventType,
    traceId: traceId ?? facts.traceId ?? null,
    errorReason: toText(errorMessage),
    errorStacktrace: toText(json.stackTrace) ?? toText(json.stacktrace),
    sourceKind: 'dataflow',
    occurredAt: toDate(json.timestamp),
  };
}

/** `{"message": {..., "_metadata_retry_count"}, "error_message"}`. Without an id, the content except the retry count is the identity. */
function readRetried(json: Record<string, unknown>, message: Message): Partial<Capture> | undefined {
  const { message: inner, error_message: errorMessage, ...others } = json;
  if (!isObject(inner) || typeof errorMessage !== 'string' || Object.keys(others).length > 0)
    return undefined;
  const source = sliceMembers(message.body.toString())[0]?.get('message') ?? '';
  const content = [...(sliceMembers(source)[0] ?? [])]
    .filter(([name]) => !/^_metadata_(retry_count|error)/.test(name))
    .flatMap(([name, value]) => [name, minify(value)]);
  const retries = toCount(inner._metadata_retry_count);
  return {
    body: Buffer.from(source),
    eventKey: findTransportKey(message) ?? keyFromContent(content),
    errorReason: toText(errorMessage),
    sourceKind: 'dataflow',
    sourceAttempts: retries === null ? null : retries + 1,
  };
}

/** Any sender may use an attribute `error`: it is the reason, but no sign of a Dataflow template. */
function readAttributes({ headers, facts }: Message): Partial<Capture> | undefined {
  if (facts.sourceKind !== 'pubsub' && facts.sourceKind !== 'eventarc') return undefined;
  const header = (name: string) => readHeader(headers, name);
  const errorReason = header('errorMessage');
  if (errorReason === null) return header('error') === null ? undefined : { errorReason: header('error') };
  const occurredAt = toDate(header('timestamp')) ?? facts.occurredAt ?? null;
  return { errorReason, sourceKind: 'dataflow', occurredAt };
}

/** The transport's key, unless the transport is unknown and the key one of the content. */
function findTransportKey({ facts }: Message): string | undefined {
  return facts.sourceKind === undefined ? undefined : facts.eventKey;
}

/** `[{"key", "value"}]`, the form of attributes in BigQuery. */
function readPairs(pairs: unknown): Record<string, string> {
  const list = Array.isArray(pairs) ? pairs.filter(isObject) : [];
  return Object.fromEntries(list.map(({ key, value }) => [toText(key) ?? '', toText(value) ?? '']));
}
