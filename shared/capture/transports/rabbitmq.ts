import { sliceMembers } from '../../json/slice-json.ts';
import type { HeaderValue } from '../../message/event.ts';
import { toDateFromSeconds, toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { decodeAnyBase64 } from '../decode-bytes.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readJsonHeaders, toHeaderValue } from '../header-values.ts';
import { keyFromContent } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { addNotes } from '../notes.ts';
import { isWholly } from '../wholly.ts';

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
  return tellApart(messages.map((message, i) => toMessage(message, sources[i], request.headers.traceparent)));
}

type RabbitMessage = Readonly<Record<string, unknown>> & { readonly payload: string };

/** The API prints an empty array for a message without properties. */
function isRabbitMessage(message: unknown): message is RabbitMessage {
  if (!isWholly(message, names) || typeof message.payload !== 'string') return false;
  return (
    /^(string|base64)$/.test(toText(message.payload_encoding) ?? '') && typeof message.properties === 'object'
  );
}

const names = new Set([
  ...['payload', 'payload_bytes', 'payload_encoding', 'properties', 'exchange', 'routing_key', 'redelivered'],
  'message_count',
]);

function toMessage(
  message: RabbitMessage,
  source: Members | undefined,
  traceparent: string | undefined,
): Message {
  const [members] = sliceMembers(source?.get('properties') ?? '');
  const { headers: _, ...properties } = readJsonHeaders(members);
  const { headers, nullHeaders } = decodeHeaders(
    readJsonHeaders(sliceMembers(members?.get('headers') ?? '')[0]),
  );
  const encoding = message.payload_encoding === 'base64' ? 'base64' : 'utf8';
  const content = toContent(Buffer.from(message.payload, encoding));
  const messageId = toText(properties.message_id);
  const facts = readHeaderFacts(headers, traceparent);
  const routingKey = toText(message.routing_key);
  return {
    ...content,
    contentType: toText(properties.content_type),
    headers,
    facts: {
      ...(messageId && { eventKey: `rabbitmq:${messageId}` }),
      ...facts,
      eventId: facts.eventId ?? messageId,
      eventType: toText(properties.type) ?? facts.eventType,
      topicType: routingKey,
      sourceKind: 'rabbitmq',
      sourceTopic: toText(message.exchange),
      sourceKey: routingKey,
      occurredAt: toDateFromSeconds(properties.timestamp),
      metadata: addNotes(null, { properties, nullHeaders }),
    },
  };
}

const printedBytes = 'Not UTF-8, base64 is: ';

/**
 * The API prints bytes that are not UTF-8 as a sentence with base64 in lines of 76 characters, and null as
 * `undefined`.
 * https://github.com/rabbitmq/rabbitmq-server/blob/main/deps/rabbit_common/src/rabbit_misc.erl
 */
function decodeHeaders(printed: Readonly<Record<string, string>>) {
  const headers: Record<string, HeaderValue> = {};
  const nullHeaders: string[] = [];
  for (const [name, text] of Object.entries(printed)) {
    const bytes = text.startsWith(printedBytes)
      ? decodeAnyBase64(text.slice(printedBytes.length))
      : undefined;
    if (text === 'undefined') nullHeaders.push(name);
    else headers[name] = bytes ? toHeaderValue(bytes) : text;
  }
  return { headers, nullHeaders };
}

/** The API lists each message once: of those without an id, equal ones are different messages. */
function tellApart(messages: readonly Message[]): Message[] {
  const counts = new Map<string, number>();
  return messages.map((message) => {
    if (message.facts.eventKey !== undefined) return message;
    const content = keyFromContent(message.body);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    const eventKey = count === 0 ? content : keyFromContent([content, String(count)]);
    return { ...message, facts: { ...message.facts, eventKey } };
  });
}
