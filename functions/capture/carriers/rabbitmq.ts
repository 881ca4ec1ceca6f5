import { readHeaderFacts } from '../header-facts.ts';
import { readJsonHeaders } from '../header-value.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import { sliceMembers } from '../json-source.ts';
import type { Inbound, Message } from '../message.ts';
import { decodeUtf8, isObject, parseBody, toFact, toMomentOfSeconds } from '../text.ts';

type Members = ReadonlyMap<string, string>;

/**
 * Messages of RabbitMQ in the form of its management API, one or an array: `{"payload", "payload_encoding",
 * "exchange", "routing_key", "properties": {"message_id", "type", "timestamp", "headers", ...}}`.
 * https://www.rabbitmq.com/docs/http-api-reference
 */
export function readRabbitMessages(request: Inbound): Message[] | undefined {
  const json = parseBody(request.body);
  const messages: unknown[] = Array.isArray(json) ? json : [json];
  if (messages.length === 0 || !messages.every(isRabbitMessage)) return undefined;
  const sources = sliceMembers(decodeUtf8(request.body) ?? '');
  return messages.map((message, i) => toMessage(message, sources[i], request.headers.traceparent));
}

type RabbitMessage = Readonly<Record<string, unknown>> & { readonly payload: string };

/** Without properties the API prints an empty array in their place. */
function isRabbitMessage(message: unknown): message is RabbitMessage {
  if (!isObject(message) || typeof message.payload !== 'string') return false;
  return (
    /^(string|base64)$/.test(toFact(message.payload_encoding) ?? '') && typeof message.properties === 'object'
  );
}

function toMessage(
  message: RabbitMessage,
  source: Members | undefined,
  traceparent: string | undefined,
): Message {
  const [members] = sliceMembers(source?.get('properties') ?? '');
  const { headers: _, ...properties } = readJsonHeaders(members);
  const headers = readJsonHeaders(sliceMembers(members?.get('headers') ?? '')[0]);
  const body = Buffer.from(message.payload, message.payload_encoding === 'base64' ? 'base64' : 'utf8');
  const messageId = toFact(properties.message_id);
  const told = readHeaderFacts(headers, traceparent);
  return {
    body,
    contentType: toFact(properties.content_type),
    headers,
    facts: {
      ...told,
      eventKey: keyFromHeaders(headers, null) ?? (messageId ? `rabbitmq:${messageId}` : keyFromContent(body)),
      eventId: told.eventId ?? messageId,
      eventType: toFact(properties.type) ?? toFact(headers.__TypeId__) ?? told.eventType,
      sourceKind: 'rabbitmq',
      sourceTopic: toFact(message.exchange),
      sourceKey: toFact(message.routing_key),
      occurredAt: toMomentOfSeconds(properties.timestamp),
      metadata: members === undefined ? null : { properties },
    },
  };
}
