import { isObject } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import { toDateFromSeconds, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readJsonHeaders } from '../header-values.ts';
import { keyFromContent, keyFromHeaders } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';

type Members = ReadonlyMap<string, string>;

/**
 * RabbitMQ messages in the form of its management API, one or an array: `{"payload", "payload_encoding",
 * "exchange", "routing_key", "properties": {"message_id", "type", "timestamp", "headers", ...}}`.
 * https://www.rabbitmq.com/docs/http-api-reference
 */
export function readRabbitMessages(request: ParsedInbound): Message[] | undefined {
  const { json } = request;
  const messages: unknown[] = Array.isArray(json) ? json : [json];
  if (messages.length === 0 || !messages.every(isRabbitMessage)) return undefined;
  const sources = sliceMembers(request.body.toString());
  return messages.map((message, i) => toMessage(message, sources[i], request.headers.traceparent));
}

type RabbitMessage = Readonly<Record<string, unknown>> & { readonly payload: string };

/** The API prints an empty array for a message without properties. */
function isRabbitMessage(message: unknown): message is RabbitMessage {
  if (!isObject(message) || typeof message.payload !== 'string') return false;
  return (
    /^(string|base64)$/.test(toText(message.payload_encoding) ?? '') && typeof message.properties === 'object'
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
  const encoding = message.payload_encoding === 'base64' ? 'base64' : 'utf8';
  const content = toContent(Buffer.from(message.payload, encoding));
  const messageId = toText(properties.message_id);
  const facts = readHeaderFacts(headers, traceparent);
  return {
    ...content,
    contentType: toText(properties.content_type),
    headers,
    facts: {
      ...facts,
      eventKey:
        keyFromHeaders(headers, null) ?? (messageId ? `rabbitmq:${messageId}` : keyFromContent(content.body)),
      eventId: facts.eventId ?? messageId,
      eventType: toText(properties.type) ?? toText(headers.__TypeId__) ?? facts.eventType,
      sourceKind: 'rabbitmq',
      sourceTopic: toText(message.exchange),
      sourceKey: toText(message.routing_key),
      occurredAt: toDateFromSeconds(properties.timestamp),
      metadata: members === undefined ? null : { properties },
    },
  };
}
