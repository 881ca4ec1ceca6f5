import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toCount, toDate, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { joinReason } from '../error-reason.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readJsonHeaders } from '../header-values.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { isWholly } from '../wholly.ts';

/**
 * A message from a dead-letter queue of Azure Service Bus, as its JavaScript client prints it. A consumer that
 * dead-letters a message itself writes the reason into the application properties, too.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-dead-letter-queues
 */
export function readServiceBusMessage(request: ParsedInbound): Message[] | undefined {
  const { json } = request;
  if (!isWholly(json, names) || !('body' in json)) return undefined;
  const [members] = sliceMembers(request.body.toString());
  const properties = members?.get('applicationProperties');
  const headers = readJsonHeaders(sliceMembers(properties ?? '')[0]);
  const reason = toText(json.deadLetterReason) ?? toText(headers.DeadLetterReason);
  const queue = toText(json.deadLetterSource);
  if (reason === null && queue === null) return undefined;
  const description = toText(json.deadLetterErrorDescription) ?? toText(headers.DeadLetterErrorDescription);
  const content = toContent(readBody(json.body, members?.get('body')));
  const message: Message = {
    ...content,
    contentType: toText(json.contentType),
    headers,
    facts: {
      ...readHeaderFacts(headers, request.headers.traceparent),
      eventKey: keyFromHeaders(headers) ?? keyFromMessageId(json.messageId, queue, content.body),
      deliveryId: members?.get('sequenceNumber') ?? null,
      eventType: toText(json.subject) ?? 'unknown',
      errorReason: joinReason(reason, description),
      sourceKind: 'azure-service-bus',
      consumer: keyFromHeaders(headers) === undefined ? null : queue,
      sourceTopic: queue,
      sourceAttempts: toCount(json.deliveryCount),
      traceId: findTraceId(headers['Diagnostic-Id'], headers.traceparent, request.headers.traceparent),
      occurredAt: toDate(json.enqueuedTimeUtc),
    },
  };
  return [message];
}

/** https://learn.microsoft.com/javascript/api/@azure/service-bus/servicebusreceivedmessage */
const names = new Set([
  ...[
    'body',
    'messageId',
    'contentType',
    'correlationId',
    'partitionKey',
    'sessionId',
    'replyToSessionId',
    'subject',
  ],
  ...[
    'timeToLive',
    'to',
    'replyTo',
    'scheduledEnqueueTimeUtc',
    'applicationProperties',
    'state',
    'lockToken',
  ],
  ...[
    'deliveryCount',
    'enqueuedTimeUtc',
    'enqueuedSequenceNumber',
    'sequenceNumber',
    'expiresAtUtc',
    'lockedUntilUtc',
  ],
  ...['deadLetterReason', 'deadLetterErrorDescription', 'deadLetterSource', '_rawAmqpMessage', 'rawMessage'],
]);

function keyFromMessageId(messageId: unknown, queue: string | null, body: Buffer): string {
  const id = toText(messageId);
  return id === null ? keyFromContent(body) : `asb:${queue === null ? '' : `${queue}/`}${id}`;
}

/** Text is the body itself, a Buffer is printed as its bytes, and JSON is kept as written. */
function readBody(body: unknown, source: string | undefined): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  const bytes = isObject(body) && body.type === 'Buffer' ? body.data : undefined;
  if (Array.isArray(bytes) && bytes.every(Number.isInteger)) return Buffer.from(bytes);
  return Buffer.from(source ?? '');
}
