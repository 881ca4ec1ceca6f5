import { readHeaderFacts } from '../header-facts.ts';
import { readJsonHeaders } from '../header-value.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import { sliceMembers } from '../json-source.ts';
import type { Inbound, Message } from '../message.ts';
import {
  decodeUtf8,
  findTraceId,
  isObject,
  joinReason,
  parseBody,
  toCount,
  toFact,
  toMoment,
} from '../text.ts';

/**
 * A message from a dead-letter queue of Azure Service Bus as its JavaScript client prints it. Those that a consumer
 * dead-lettered itself have the reason among their application properties, too.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-dead-letter-queues
 */
export function readServiceBusMessage(request: Inbound): Message[] | undefined {
  const json = parseBody(request.body);
  if (!isObject(json) || !('body' in json || 'messageId' in json)) return undefined;
  const [members] = sliceMembers(decodeUtf8(request.body) ?? '');
  const properties = members?.get('applicationProperties');
  const headers = readJsonHeaders(sliceMembers(properties ?? '')[0]);
  const reason = toFact(json.deadLetterReason) ?? toFact(headers.DeadLetterReason);
  const queue = toFact(json.deadLetterSource);
  if (reason === null && queue === null) return undefined;
  const description = toFact(json.deadLetterErrorDescription) ?? toFact(headers.DeadLetterErrorDescription);
  const body = readBody(json.body, members?.get('body'));
  const message: Message = {
    body,
    contentType: toFact(json.contentType),
    headers,
    facts: {
      ...readHeaderFacts(headers, request.headers.traceparent),
      eventKey: keyFromHeaders(headers, queue) ?? keyFromMessageId(json.messageId, queue, body),
      carrierId: members?.get('sequenceNumber') ?? null,
      eventType: toFact(json.subject) ?? 'unknown',
      errorReason: joinReason(reason, description),
      sourceKind: 'azure-service-bus',
      sourceTopic: queue,
      sourceAttempts: toCount(json.deliveryCount),
      traceId: findTraceId(headers['Diagnostic-Id'], headers.traceparent, request.headers.traceparent),
      occurredAt: toMoment(json.enqueuedTimeUtc),
    },
  };
  return [message];
}

function keyFromMessageId(messageId: unknown, queue: string | null, body: Buffer): string {
  const id = toFact(messageId);
  return id === null ? keyFromContent(body) : `asb:${queue === null ? '' : `${queue}/`}${id}`;
}

/** A text is the body itself, a Buffer is printed as its bytes, and JSON is taken as it was written. */
function readBody(body: unknown, source: string | undefined): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  const bytes = isObject(body) && body.type === 'Buffer' ? body.data : undefined;
  if (Array.isArray(bytes) && bytes.every(Number.isInteger)) return Buffer.from(bytes);
  return Buffer.from(source ?? '');
}
