import { isObject } from '../../json/parse-json.ts';
import { toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { describePubSubMessage } from '../pubsub-message.ts';

/**
 * Pub/Sub push, wrapped: `{"message": {"data", "attributes", "messageId", ...}, "subscription"}`.
 * https://cloud.google.com/pubsub/docs/push
 */
export function readPubSubPush({ headers, json }: ParsedInbound): Message[] | undefined {
  const message = readPushBody(json, headers.traceparent, null);
  return message && [message];
}

/** The message of a push body. The same body is the data of an Eventarc CloudEvent, which names the topic. */
export function readPushBody(
  json: unknown,
  traceparent: string | undefined,
  topic: string | null,
): Message | undefined {
  if (!isObject(json) || !isObject(json.message)) return undefined;
  const { message } = json;
  const subscription = toText(json.subscription);
  const scope = subscription ?? topic;
  const messageId = toText(message.messageId ?? message.message_id);
  if (messageId === null || scope === null) return undefined;
  const attributes = readAttributes(message.attributes);
  return describePubSubMessage({
    content: toContent(Buffer.from(typeof message.data === 'string' ? message.data : '', 'base64')),
    attributes,
    contentType: toText(attributes['content-type']),
    messageId,
    subscription,
    scope,
    orderingKey: message.orderingKey ?? message.ordering_key,
    publishedAt: message.publishTime ?? message.publish_time,
    traceparent,
  });
}

/** Pub/Sub writes attributes as text. Other senders of this form may write numbers and booleans; the rest is ignored. */
function readAttributes(attributes: unknown): Record<string, string> {
  const entries = isObject(attributes) ? Object.entries(attributes) : [];
  return Object.fromEntries(
    entries.filter(([, value]) => typeof value !== 'object').map(([name, value]) => [name, String(value)]),
  );
}
