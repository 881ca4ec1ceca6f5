import type { Inbound, Message } from '../message.ts';
import { describePubSubMessage } from '../pubsub-message.ts';
import { isObject, parseBody, toFact } from '../text.ts';

/**
 * Pub/Sub push, wrapped: `{"message": {"data", "attributes", "messageId", ...}, "subscription"}`.
 * https://cloud.google.com/pubsub/docs/push
 */
export function readPubSubPush({ headers, body }: Inbound): Message[] | undefined {
  const message = readPushBody(parseBody(body), headers.traceparent, null);
  return message && [message];
}

/** The same body as it also travels inside an Eventarc CloudEvent, which knows the topic. */
export function readPushBody(
  body: unknown,
  traceparent: string | undefined,
  topic: string | null,
): Message | undefined {
  if (!isObject(body) || !isObject(body.message)) return undefined;
  const { message } = body;
  const subscription = toFact(body.subscription);
  const scope = subscription ?? topic;
  const messageId = toFact(message.messageId ?? message.message_id);
  if (messageId === null || scope === null) return undefined;
  const attributes = readAttributes(message.attributes);
  return describePubSubMessage({
    data: Buffer.from(typeof message.data === 'string' ? message.data : '', 'base64'),
    attributes,
    contentType: toFact(attributes['content-type']),
    messageId,
    subscription,
    scope,
    orderingKey: message.orderingKey ?? message.ordering_key,
    publishedAt: message.publishTime ?? message.publish_time,
    traceparent,
  });
}

/** Attributes are text; what a sender of its own writes otherwise is none, except a number or a truth. */
function readAttributes(attributes: unknown): Record<string, string> {
  const entries = isObject(attributes) ? Object.entries(attributes) : [];
  return Object.fromEntries(
    entries.filter(([, value]) => typeof value !== 'object').map(([name, value]) => [name, String(value)]),
  );
}
