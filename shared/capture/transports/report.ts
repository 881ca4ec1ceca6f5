import { isObject } from '../../json/parse-json.ts';
import { minify } from '../../json/slice-json.ts';
import { toCount, toDate, toPriority, toRetryAfter, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import {
  findApplicationId,
  findIdempotencyKey,
  keyFromContent,
  keyFromId,
  toPublication,
} from '../identity.ts';
import { type Members, readFields, readMembers } from '../json-members.ts';
import { keyFromPosition, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Inbound, Message, ParsedInbound } from '../message.ts';
import { readContent } from '../report-content.ts';
import { listIgnoredMembers, readError, readHeaders, readMetadata, readSource } from '../report-members.ts';
import { findTraceId } from '../trace-id.ts';
import { isWholly } from '../wholly.ts';
import { readValue } from './value.ts';

/** Whether a content type is the media type of reports. */
export function isReportType(contentType: string | undefined): boolean {
  return /^application\/vnd\.dead-letter-office\.report\+json\s*(;|$)/i.test(contentType ?? '');
}

/**
 * A report, the format for a consumer's catch block: `{"eventType", "eventId", "payload" or "payloadBase64",
 * "contentType", "headers", "error": {"message", "class", "stack", "kind"} or text, "retryAfter", "maxRetries", "priority",
 * "source": {"kind", "topic", "partition", "offset", "key" or "keyBase64", "subscription", "consumerGroup", "attempts"},
 * "occurredAt", "failedAt", "traceparent", "metadata"}`. An object is a report only if all its members are fields of one, with
 * `error` among them, and if it has the message, or names the one that it is about: any other object is a message itself.
 */
export function readReport(request: ParsedInbound): Message[] | undefined {
  const { json, headers } = request;
  if (!isWholly(json, fieldNames) || !isError(json.error)) return undefined;
  const hasContent = 'payload' in json || (json.payloadBase64 ?? null) !== null;
  return hasContent || namesMessage(json, headers) ? [readParts(request)] : undefined;
}

const fieldNames = new Set([
  ...[
    'eventType',
    'eventId',
    'payload',
    'payloadBase64',
    'contentType',
    'headers',
    'error',
    'retryAfter',
    'maxRetries',
  ],
  ...['priority', 'source', 'occurredAt', 'failedAt', 'traceparent', 'metadata'],
]);
const errorNames = new Set(['message', 'class', 'name', 'type', 'kind', 'stack', 'stacktrace']);

function isError(error: unknown): boolean {
  return typeof error === 'string' || isObject(error);
}

/** Without content, a report is about a message that another capture brings: by its id, its position or a redelivery. */
function namesMessage(
  { eventId, error, source }: Record<string, unknown>,
  sent: Inbound['headers'],
): boolean {
  if (isObject(error) && !isWholly(error, errorNames)) return false;
  if (toText(eventId) !== null || sent['dlo-event-id']) return true;
  const { topic, partition, offset } = isObject(source) ? source : {};
  return keyFromPosition(toKafkaPosition(toText(topic), partition, offset)) !== undefined;
}

/** An object of the media type of reports, whatever its members. */
export function readDeclaredReport(request: ParsedInbound): Message[] | undefined {
  const isDeclared = isReportType(request.headers['content-type']) && isObject(request.json);
  return isDeclared ? [readParts(request)] : undefined;
}

/**
 * The body as the message. What it says in a member `error` is its reason, but decides nothing: nobody declared that a
 * consumer wrote it.
 */
export function readWhole(request: ParsedInbound, contentKey?: string): Message {
  const { facts, ...message } = readValue(request, contentKey);
  if (isReportType(request.headers['content-type'])) {
    return { ...message, facts: { ...facts, sourceKind: 'report', origin: 'report' } };
  }
  if (!isObject(request.json) || !isError(request.json.error)) return { ...message, facts };
  const { errorKind: _, ...error } = readError(openReport(request).get('error')).facts;
  return { ...message, facts: { ...facts, ...error } };
}

const topFields = {
  eventType: { names: ['eventType'], read: toText },
  eventId: { names: ['eventId'], read: toText },
  contentType: { names: ['contentType'], read: toText },
  occurredAt: { names: ['occurredAt'], read: toDate },
  failedAt: { names: ['failedAt'], read: toDate },
  retryAfter: { names: ['retryAfter'], read: toRetryAfter },
  maxRetries: { names: ['maxRetries'], read: toCount },
  priority: { names: ['priority'], read: toPriority },
  traceId: { names: ['traceparent'], read: (text: string) => findTraceId(text) },
};

function readParts(request: ParsedInbound): Message {
  const members = openReport(request);
  const [error, source] = [readError(members.get('error')), readSource(members.get('source'))];
  const [headers, metadata] = [readHeaders(members.get('headers')), readMetadata(members.get('metadata'))];
  const { body, used: contentNames } = readContent(members);
  const { facts: top, used } = readFields(members, topFields);
  const ignored = listIgnoredMembers(members, {
    used: new Set([...used, ...contentNames]),
    parts: new Map(Object.entries({ error, source, headers, metadata })),
  });
  const { contentType, eventType, occurredAt, retryAfter, maxRetries, priority } = top;
  const facts: Partial<Facts> = {
    ...error.facts,
    ...source.facts,
    eventType: eventType ?? 'unknown',
    isTypeTold: eventType !== null,
    eventId: top.eventId ?? findApplicationId(headers.facts) ?? findApplicationId(request.headers),
    origin: 'report',
    consumer: source.facts.sourceSubscription ?? null,
    hasEmptyValue: body.length === 0 && contentNames.length > 0,
    publication: toPublication(null, readCoordinates(source.facts)),
    failedAt: top.failedAt,
    deliveryId: findIdempotencyKey(request.headers),
    traceId: top.traceId ?? findOtherTrace(metadata.facts, request),
    occurredAt,
    retryAfter,
    maxRetries,
    priority,
    metadata:
      ignored.length === 0
        ? metadata.facts
        : { ...metadata.facts, ignored: Object.fromEntries<unknown>(ignored) },
    ignored: ignored.map(([path]) => path),
  };
  const eventKey = identify(facts, request);
  return { ...toContent(body), contentType, headers: headers.facts, facts: { ...facts, eventKey } };
}

function readPosition({ sourceTopic, sourcePartition, sourceOffset }: Partial<Facts>) {
  return toKafkaPosition(sourceTopic ?? null, sourcePartition, sourceOffset);
}

function readCoordinates(facts: Partial<Facts>): string | null {
  return keyFromPosition(readPosition(facts)) ?? null;
}

/** The event key, from the most specific identity: the event's id, its Kafka coordinates, or all of the report. */
function identify(facts: Partial<Facts>, request: ParsedInbound): string {
  if (facts.eventId) return keyFromId(facts.eventId);
  return keyFromPosition(readPosition(facts)) ?? keyFromContent(minifyBody(request));
}

function findOtherTrace(metadata: Facts['metadata'], { headers }: ParsedInbound): string | null {
  return findTraceId(metadata?.traceparent, headers.traceparent) ?? toText(metadata?.trace_id);
}

function openReport({ json, body }: ParsedInbound): Members {
  return readMembers({ value: json, source: body.toString() }) ?? new Map();
}

function minifyBody({ body }: ParsedInbound): Buffer {
  return Buffer.from(minify(body.toString()));
}
