import { kafkaKey, keyFromContent, keyFromId } from '../identity.ts';
import { sliceMembers } from '../json-source.ts';
import { keyFromBytes } from '../kafka-record.ts';
import type { Facts, Inbound, Message } from '../message.ts';
import {
  decodeUtf8,
  findTraceId,
  isObject,
  parseJson,
  printJson,
  toCount,
  toFact,
  toMoment,
  toOffset,
} from '../text.ts';

/**
 * Our own format, for a consumer's catch block: `{"eventType", "payload", "error": {"message", "stack", "class"},
 * "source": {"kind", "topic", "partition", "offset", "key" or "keyBase64", "subscription", "consumerGroup",
 * "attempts"}, "eventId", "metadata", "headers", "occurredAt", "traceparent"}`. `eventType` and one of `payload`, `payloadBase64` and `error`
 * make a report; all else may be missing. Fields of a wrong type are no facts, and no reason to lose the event.
 */
export function readReport(request: Inbound): Message[] | undefined {
  const text = decodeUtf8(request.body);
  const report = parseJson(text);
  if (text === undefined || !isObject(report) || !isReport(report)) return undefined;
  const body = readPayload(text, report);
  const told = { ...report, metadata: readMetadata(text, report.metadata) };
  const facts = readFacts(told, request.headers.traceparent);
  const message = { body, contentType: toFact(report.contentType), headers: readHeaders(report.headers) };
  return [{ ...message, facts: { ...facts, eventKey: identify(facts, body) } }];
}

function isReport(report: Record<string, unknown>): boolean {
  const hasContent = 'payload' in report || 'payloadBase64' in report || isObject(report.error);
  return typeof report.eventType === 'string' && report.eventType !== '' && hasContent;
}

/** The payload as it was written, digit for digit: parsing and printing it again would change large numbers. */
function readPayload(text: string, report: Record<string, unknown>): Buffer {
  if (typeof report.payloadBase64 === 'string') return Buffer.from(report.payloadBase64, 'base64');
  return Buffer.from(sliceMembers(text)[0]?.get('payload') ?? '');
}

/** The ladder of identities: the event's own id, its place in a Kafka topic, or its content. */
function identify(facts: Partial<Facts>, body: Buffer): string {
  const consumer = facts.sourceSubscription ?? facts.consumerGroup ?? null;
  const { eventId, sourceTopic, sourcePartition, sourceOffset } = facts;
  if (eventId) return keyFromId(eventId, consumer);
  if (sourceTopic && sourceOffset && typeof sourcePartition === 'number') {
    return kafkaKey(sourceTopic, sourcePartition, sourceOffset, consumer);
  }
  return keyFromContent([facts.eventType ?? '', consumer ?? '', body.toString('base64')]);
}

function readHeaders(headers: unknown): Record<string, string> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = toFact(value);
      return text === null ? [] : [[name, text]];
    }),
  );
}

function readKey({ key, keyBase64 }: Record<string, unknown>): Partial<Facts> {
  return typeof keyBase64 === 'string'
    ? keyFromBytes(Buffer.from(keyBase64, 'base64'))
    : { sourceKey: toFact(key) };
}

/** Metadata nested deeper than can be stored is kept as the text that it was. */
function readMetadata(text: string, metadata: unknown): Facts['metadata'] {
  if (!isObject(metadata)) return null;
  return printJson(metadata) === '' ? { text: sliceMembers(text)[0]?.get('metadata') } : metadata;
}

function readFacts(
  { metadata, ...report }: Record<string, unknown> & Pick<Facts, 'metadata'>,
  traceparent: string | undefined,
): Partial<Facts> {
  const error = isObject(report.error) ? report.error : {};
  const source = isObject(report.source) ? report.source : {};
  return {
    eventType: String(report.eventType),
    eventId: toFact(report.eventId),
    errorReason: toFact(error.message) ?? toFact(report.error),
    errorStacktrace: toFact(error.stack),
    errorClass: toFact(error.class),
    sourceKind: toFact(source.kind) ?? 'report',
    sourceTopic: toFact(source.topic),
    sourcePartition: toCount(source.partition),
    sourceOffset: toOffset(source.offset),
    ...readKey(source),
    sourceSubscription: toFact(source.subscription),
    consumerGroup: toFact(source.consumerGroup),
    sourceAttempts: toCount(source.attempts),
    traceId:
      findTraceId(report.traceparent, metadata?.traceparent, traceparent) ?? toFact(metadata?.trace_id),
    occurredAt: toMoment(report.occurredAt),
    metadata,
  };
}
