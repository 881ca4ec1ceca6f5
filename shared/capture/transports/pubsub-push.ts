import { isObject } from '../../json/parse-json.ts';
import { toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import { decodeAnyBase64 } from '../decode-bytes.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { describePubSubMessage } from '../pubsub-message.ts';
import { isWholly } from '../wholly.ts';

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
  if (!isWholly(json, wrapperNames) || !isWholly(json.message, messageNames)) return undefined;
  const { attributes: own, data = null, ...message } = json.message;
  const attributes = readAttributes(own ?? {});
  // A message has data or attributes, and its data is base64.
  const hasData = typeof data === 'string';
  if (!attributes || !(hasData || (data === null && Object.keys(attributes).length > 0))) return undefined;
  const bytes = decodeAnyBase64(hasData ? data : '');
  const subscription = toText(json.subscription);
  const scope = subscription ?? topic;
  const messageId = toText(message.messageId ?? message.message_id);
  if (bytes === undefined || messageId === null || scope === null) return undefined;
  return describePubSubMessage({
    content: toContent(bytes),
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

const wrapperNames = new Set(['message', 'subscription', 'deliveryAttempt']);
const messageNames = new Set([
  ...['data', 'attributes', 'messageId', 'message_id', 'publishTime', 'publish_time'],
  ...['orderingKey', 'ordering_key'],
]);

/**
 * Pub/Sub writes attributes as text. Other senders of this form may write numbers and booleans; anything else
 * Pub/Sub never sends.
 */
function readAttributes(attributes: unknown): Record<string, string> | undefined {
  if (!isObject(attributes)) return undefined;
  const entries = Object.entries(attributes);
  if (entries.some(([, value]) => typeof value === 'object')) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
