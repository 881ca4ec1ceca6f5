import { isObject } from '../../json/parse-json.ts';
import { findTraceId, toText } from '../column-values.ts';
import { isWholly, toContent } from '../content.ts';
import { addNotes, type Facts } from '../facts.ts';
import { readValue } from '../formats/read-transport.ts';
import { findApplicationId, keyFromContent, keyFromId, toPublication } from '../identity.ts';
import { keyFromPosition, sourceKeyFromBytes, toPosition } from '../kafka-record.ts';
import type { Inbound, Message, ParsedInbound } from '../message.ts';
import {
  errorNames,
  type Members,
  readError,
  readMembers,
  readReportMembers,
  reportNames,
} from '../report-members.ts';

export function isReportType(contentType: string | undefined): boolean {
  return /^application\/vnd\.dead-letter-office\.report\+json\s*(;|$)/i.test(contentType ?? '');
}

/**
 * An object is a report if it is declared as one, or if all its members are fields of one, with `error` among
 * them, and if it has the message or names it: any other object is a message itself.
 */
export function readReport(request: ParsedInbound): Message | undefined {
  const { json, headers } = request;
  if (isReportType(headers['content-type'])) return isObject(json) ? readParts(request) : undefined;
  if (!isWholly(json, reportNames) || !isError(json.error)) return undefined;
  const hasContent = 'payload' in json || (json.payloadBase64 ?? null) !== null;
  return hasContent || namesMessage(json, headers) ? readParts(request) : undefined;
}

function isError(error: unknown): boolean {
  return typeof error === 'string' || isObject(error);
}

/** A report without content is about a message that another capture brings. */
function namesMessage({ eventId, error, source }: Record<string, unknown>, sent: Inbound['headers']) {
  if (isObject(error) && !isWholly(error, errorNames)) return false;
  if (toText(eventId) !== null || sent['dlo-event-id']) return true;
  const { topic, partition, offset } = isObject(source) ? source : {};
  return keyFromPosition(toPosition(topic, partition, offset)) !== undefined;
}

/** A member `error` is the reason, but decides nothing: nobody declared that a consumer wrote it. */
export function readWhole(request: ParsedInbound): Message {
  const { facts, ...message } = readValue(request);
  if (isReportType(request.headers['content-type'])) {
    return { ...message, facts: { ...facts, sourceKind: 'report', origin: 'report' } };
  }
  const { json } = request;
  const error = isObject(json) && isError(json.error) ? openReport(request).get('error') : undefined;
  if (!error) return { ...message, facts };
  return { ...message, facts: { ...facts, ...readError(error) } };
}

function readParts(request: ParsedInbound): Message {
  const { headers: sent } = request;
  const { told, body, headers, metadata, ignored } = readReportMembers(openReport(request));
  const { contentType, keyBytes, ...own } = told;
  const key = keyBytes === null ? {} : sourceKeyFromBytes(keyBytes);
  const isContradicted = keyBytes !== null && own.sourceKey !== null && own.sourceKey !== keyBytes.toString();
  const others = isContradicted ? [...ignored, ['source.key', own.sourceKey] as const] : ignored;
  const position = keyFromPosition(own);
  const eventId = own.eventId ?? findApplicationId(headers) ?? findApplicationId(sent);
  const facts: Partial<Facts> = {
    ...own,
    ...key,
    sourceKind: own.sourceKind ?? 'report',
    eventId,
    eventKey: eventId === null ? (position ?? keyFromContent(request.body)) : keyFromId(eventId),
    origin: 'report',
    consumer: own.sourceSubscription,
    hasEmptyValue: body?.length === 0,
    publication: toPublication(null, position ?? null),
    traceId:
      own.traceId ?? findTraceId(metadata?.traceparent, sent.traceparent) ?? toText(metadata?.trace_id),
    metadata: addNotes(metadata, { ignored: Object.fromEntries<unknown>(others) }),
  };
  return { ...toContent(body ?? Buffer.alloc(0)), contentType, headers, facts };
}

function openReport({ json, body }: ParsedInbound): Members {
  return readMembers({ value: json, source: body.toString() }) ?? new Map();
}
