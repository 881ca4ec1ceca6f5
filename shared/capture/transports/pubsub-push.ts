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
  const { message } = json;
  const data = readData(message);
  if (data === undefined) return undefined;
  const subscription = toText(json.subscription);
  const scope = subscription ?? topic;
  const messageId = toText(message.messageId ?? message.message_id);
  if (messageId === null || scope === null) return undefined;
  const attributes = readAttributes(message.attributes);
  return describePubSubMessage({
    content: toContent(data),
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
  ...[
    'data',
    'attributes',
    'messageId',
    'message_id',
    'publishTime',
    'publish_time',
    'orderingKey',
    'ordering_key',
  ],
]);

/**
 * The data, or undefined for what Pub/Sub never sends: a message has data or attributes, and its data is
 * base64.
 */
function readData({ data, attributes = {} }: Record<string, unknown>): Buffer | undefined {
  const { isValid, isEmpty } = judgeAttributes(attributes);
  if (!isValid || !(typeof data === 'string' || ((data ?? null) === null && !isEmpty))) return undefined;
  return decodeAnyBase64(typeof data === 'string' ? data : '');
}

function judgeAttributes(attributes: unknown) {
  const values = Object.values(attributes ?? {});
  const isValid =
    (isObject(attributes) || attributes === null) && values.every((each) => typeof each !== 'object');
  return { isValid, isEmpty: values.length === 0 };
}

/**
 * Pub/Sub writes attributes as text. Other senders of this form may write numbers and booleans; the rest is
 * ignored.
 */
function readAttributes(attributes: unknown): Record<string, string> {
  const entries = isObject(attributes) ? Object.entries(attributes) : [];
  return Object.fromEntries(
    entries.filter(([, value]) => typeof value !== 'object').map(([name, value]) => [name, String(value)]),
  );
}
