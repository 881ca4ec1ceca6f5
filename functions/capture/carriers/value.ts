import { readHeaderFacts } from '../header-facts.ts';
import { keyFromHeaders } from '../identity.ts';
import type { Inbound, Message } from '../message.ts';
import { readOwnHeaders } from '../own-headers.ts';
import { decodeBase64, decodeUtf8, toFact } from '../text.ts';

const debeziumPrefix = 'x-debezium-';

/**
 * A value alone: what the HTTP sinks of Confluent, Aiven and Debezium Server send, and anything that nobody else
 * recognises. Its topic and key stand in the path if the sink's URL is set up so: `/${topic}/${key}`.
 * https://docs.confluent.io/kafka-connectors/http/current/overview.html
 * https://github.com/Aiven-Open/http-connector-for-apache-kafka
 */
export function readValue({ path, headers: sent, body }: Inbound, contentKey?: string): Message {
  const headers = decodeDebeziumHeaders(readOwnHeaders(sent));
  const { topic, key } = readPath(path);
  const told = readHeaderFacts(headers, sent.traceparent);
  const eventKey = keyFromHeaders(headers, null) ?? contentKey;
  return {
    body,
    contentType: toFact(sent['content-type']),
    headers,
    facts: {
      ...told,
      ...(eventKey !== undefined && { eventKey }),
      eventType: told.eventType === 'unknown' ? (topic ?? 'unknown') : told.eventType,
      sourceTopic: topic,
      sourceKey: key,
    },
  };
}

/** Below the function's own path, which behind a load balancer is `/capture`. A key may contain slashes. */
function readPath(path: string) {
  const [topic, ...key] = path.replace(/^\/(capture(?=\/|$))?\/?/, '').split('/');
  return { topic: toFact(decodePercent(topic ?? '')), key: toFact(decodePercent(key.join('/'))) };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Debezium Server marks the record's headers, and writes their values in base64 unless it is told otherwise.
 * https://debezium.io/documentation/reference/stable/operations/debezium-server.html#_http_client
 */
function decodeDebeziumHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!name.startsWith(debeziumPrefix)) return [name, value];
      const bytes = decodeBase64(value);
      const text = bytes && decodeUtf8(bytes);
      return [name.slice(debeziumPrefix.length), text ?? value];
    }),
  );
}
