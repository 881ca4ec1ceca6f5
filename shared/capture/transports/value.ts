import { toText } from '../column-values.ts';
import { unwrapConnectText } from '../connect-text.ts';
import { decodeBase64, decodePercent, decodeUtf8 } from '../decode-bytes.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { findIdempotencyKey } from '../identity.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders, readUnsignedHeaders } from '../message-headers.ts';

const debeziumPrefix = 'x-debezium-';

/**
 * The body as the message: the HTTP sinks of Confluent, Aiven and Debezium Server send record values alone.
 * Also the fallback for a request of no known transport. Topic and key come from the path, in a sink with the
 * URL `CAPTURE/${topic}/${key}`. Without an id the message has the key `contentKey`, or one from its content.
 * https://docs.confluent.io/kafka-connectors/http/current/overview.html
 * https://github.com/Aiven-Open/http-connector-for-apache-kafka
 */
export function readValue(request: ParsedInbound, contentKey?: string): Message {
  const { path, body, json, unsignedHeaders } = request;
  const { 'idempotency-key': _, ...sent } = request.headers;
  const headers = readMessageHeaders(sent);
  const described = decodeDebeziumHeaders(headers);
  const { topic, key } = readPath(path);
  return {
    body,
    json,
    contentType: toText(sent['content-type'] ?? unsignedHeaders?.['content-type']),
    headers,
    ...(unsignedHeaders && { unsignedHeaders: readUnsignedHeaders(unsignedHeaders) }),
    facts: {
      ...(contentKey !== undefined && { eventKey: contentKey }),
      ...readHeaderFacts(described, sent.traceparent),
      topicType: topic,
      deliveryId: findIdempotencyKey(request.headers),
      sourceTopic: topic,
      sourceKey: key,
    },
  };
}

/** Strips the function's own path, which behind a load balancer is `/capture`. A key may contain slashes. */
export function readPath(path: string) {
  const [topic, ...key] = path.replace(/^\/*(capture(?=\/|$))?\/*/, '').split('/');
  return { topic: toText(decodePercent(topic ?? '')), key: toText(decodePercent(key.join('/'))) };
}

/**
 * The record's own headers, for what they say about the event. Debezium Server prefixes them, and encodes
 * their values in base64 unless configured otherwise; the message keeps them as they came.
 * https://debezium.io/documentation/reference/stable/operations/debezium-server.html#_http_client
 */
function decodeDebeziumHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!name.startsWith(debeziumPrefix)) return [name, value];
      const bytes = decodeBase64(value);
      const text = (bytes && decodeUtf8(bytes)) ?? value;
      return [name.slice(debeziumPrefix.length), unwrapConnectText(text)];
    }),
  );
}
