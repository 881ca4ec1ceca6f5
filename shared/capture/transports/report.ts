import { isObject, printJson } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toBigCount, toCount, toDate, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { keyFromContent, keyFromId } from '../identity.ts';
import { keyFromPosition, sourceKeyFromBytes, toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message, ParsedInbound } from '../message.ts';
import { findTraceId } from '../trace-id.ts';

/**
 * A report, the format for a consumer's catch block: `{"eventType", "payload", "error": {"message", "stack", "class"},
 * "source": {"kind", "topic", "partition", "offset", "key" or "keyBase64", "subscription", "consumerGroup",
 * "attempts"}, "eventId", "metadata", "headers", "occurredAt", "traceparent"}`. A report needs `eventType` and one of
 * `payload`, `payloadBase64` and `error`. Fields of a wrong type are ignored; the event is still captured.
 */
export function readReport(request: ParsedInbound): Message[] | undefined {
  const { json: report } = request;
  if (!isObject(report) || !isReport(report)) return undefined;
  const text = request.body.toString();
  const body = readPayload(text, report);
  const metadata = readMetadata(text, report.metadata);
  const facts = readFacts({ ...report, metadata }, request.headers.traceparent);
  return [
    {
      ...toContent(body),
      contentType: toText(report.contentType),
      headers: readHeaders(report.headers),
      facts: { ...facts, eventKey: identify(facts, body) },
    },
  ];
}

function isReport(report: Record<string, unknown>): boolean {
  const hasContent = 'payload' in report || 'payloadBase64' in report || isObject(report.error);
  return typeof report.eventType === 'string' && report.eventType !== '' && hasContent;
}

/** The payload as written, digit for digit: parsing and printing it would change large numbers. */
function readPayload(text: string, report: Record<string, unknown>): Buffer {
  if (typeof report.payloadBase64 === 'string') return Buffer.from(report.payloadBase64, 'base64');
  return Buffer.from(sliceMembers(text)[0]?.get('payload') ?? '');
}

/** The event key, from the most specific identity: the event's id, its Kafka coordinates, or its content. */
function identify(facts: Partial<Facts>, body: Buffer): string {
  const consumer = facts.sourceSubscription ?? facts.consumerGroup ?? null;
  if (facts.eventId) return keyFromId(facts.eventId, consumer);
  const position = toKafkaPosition(facts.sourceTopic ?? null, facts.sourcePartition, facts.sourceOffset);
  const content = [facts.eventType ?? '', consumer ?? '', body.toString('base64')];
  return keyFromPosition(position, consumer) ?? keyFromContent(content);
}

function readHeaders(headers: unknown): Record<string, string> {
  if (!isObject(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = toText(value);
      return text === null ? [] : [[name, text]];
    }),
  );
}

function readKey({ key, keyBase64 }: Record<string, unknown>): Partial<Facts> {
  return typeof keyBase64 === 'string'
    ? sourceKeyFromBytes(Buffer.from(keyBase64, 'base64'))
    : { sourceKey: toText(key) };
}

/** Metadata that is nested too deeply to be stored as JSON is kept as text. */
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
    eventId: toText(report.eventId),
    errorReason: toText(error.message) ?? toText(report.error),
    errorStacktrace: toText(error.stack),
    errorClass: toText(error.class),
    sourceKind: toText(source.kind) ?? 'report',
    sourceTopic: toText(source.topic),
    sourcePartition: toCount(source.partition),
    sourceOffset: toBigCount(source.offset),
    ...readKey(source),
    sourceSubscription: toText(source.subscription),
    consumerGroup: toText(source.consumerGroup),
    sourceAttempts: toCount(source.attempts),
    traceId:
      findTraceId(report.traceparent, metadata?.traceparent, traceparent) ?? toText(metadata?.trace_id),
    occurredAt: toDate(report.occurredAt),
    metadata,
  };
}
