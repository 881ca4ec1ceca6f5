import { readerOf } from '../header-value.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import { minify, sliceMembers } from '../json-source.ts';
import type { Capture, Family, Message } from '../message.ts';
import { decodeUtf8, isObject, parseBody, toCount, toFact, toMoment } from '../text.ts';

/**
 * What Google's Dataflow templates could not process: wrapped in JSON with the error, as a row of the dead-letter
 * table of BigQuery, as a line of the dead letters in Cloud Storage, or as it was with the error in an attribute.
 * https://github.com/GoogleCloudPlatform/DataflowTemplates
 */
export const readDataflow: Family = (message) => {
  const json = parseBody(message.body);
  const found = isObject(json) ? (readWrapped(json, message) ?? readRetried(json, message)) : undefined;
  return found ?? readAttributes(message);
};

/** `stackTrace` by the templates for Elasticsearch, `stacktrace` in the tables of BigQuery. */
function readWrapped(json: Record<string, unknown>, message: Message): Partial<Capture> | undefined {
  const { payloadString: text, payloadBytes: base64, errorMessage } = json;
  if (typeof errorMessage !== 'string') return undefined;
  if (typeof text !== 'string' && typeof base64 !== 'string') return undefined;
  const body = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Buffer.from(String(text));
  const headers = { ...message.headers, ...readPairs(json.attributes) };
  return {
    body,
    headers,
    eventKey: keyFromHeaders(headers, null) ?? keyFromCarrier(message) ?? keyFromContent(body),
    eventType: readerOf(headers)('event_type') ?? message.facts.eventType ?? 'unknown',
    errorReason: toFact(errorMessage),
    errorStacktrace: toFact(json.stackTrace) ?? toFact(json.stacktrace),
    sourceKind: 'dataflow',
    occurredAt: toMoment(json.timestamp),
  };
}

/** `{"message": {..., "_metadata_retry_count"}, "error_message"}`: how often it was retried is no part of identity. */
function readRetried(json: Record<string, unknown>, message: Message): Partial<Capture> | undefined {
  const { message: inner, error_message: errorMessage, ...others } = json;
  if (!isObject(inner) || typeof errorMessage !== 'string' || Object.keys(others).length > 0)
    return undefined;
  const source = sliceMembers(decodeUtf8(message.body) ?? '')[0]?.get('message') ?? '';
  const content = [...(sliceMembers(source)[0] ?? [])]
    .filter(([name]) => !/^_metadata_(retry_count|error)/.test(name))
    .flatMap(([name, value]) => [name, minify(value)]);
  const retries = toCount(inner._metadata_retry_count);
  return {
    body: Buffer.from(source),
    eventKey: keyFromCarrier(message) ?? keyFromContent(content),
    errorReason: toFact(errorMessage),
    sourceKind: 'dataflow',
    sourceAttempts: retries === null ? null : retries + 1,
  };
}

/** `error` is a name that any sender may choose: it tells the reason, not that a template wrote it. */
function readAttributes({ headers, facts }: Message): Partial<Capture> | undefined {
  if (facts.sourceKind !== 'pubsub' && facts.sourceKind !== 'eventarc') return undefined;
  const told = readerOf(headers);
  const errorReason = told('errorMessage');
  if (errorReason === null) return told('error') === null ? undefined : { errorReason: told('error') };
  const occurredAt = toMoment(told('timestamp')) ?? facts.occurredAt ?? null;
  return { errorReason, sourceKind: 'dataflow', occurredAt };
}

/** A value alone has no carrier that knows it. */
function keyFromCarrier({ facts }: Message): string | undefined {
  return facts.sourceKind === undefined ? undefined : facts.eventKey;
}

/** `[{"key", "value"}]`, as BigQuery has attributes. */
function readPairs(pairs: unknown): Record<string, string> {
  const list = Array.isArray(pairs) ? pairs.filter(isObject) : [];
  return Object.fromEntries(list.map(({ key, value }) => [toFact(key) ?? '', toFact(value) ?? '']));
}
