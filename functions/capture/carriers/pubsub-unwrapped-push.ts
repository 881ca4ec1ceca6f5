import type { Inbound, Message } from '../message.ts';
import { readOwnHeaders } from '../own-headers.ts';
import { describePubSubMessage } from '../pubsub-message.ts';
import { toFact } from '../text.ts';

/**
 * Pub/Sub push without its wrapper: data as the body, attributes as headers, and with `write_metadata` what Pub/Sub
 * knows as `x-goog-pubsub-*`. Without that nothing tells such a request from any other. Pub/Sub is the carrier of a
 * CloudEvent in the attributes, too: wrapped or not, the same message is the same event.
 * https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
export function readUnwrappedPush({ headers, body }: Inbound): Message[] | undefined {
  const messageId = headers['x-goog-pubsub-message-id'];
  if (!messageId) return undefined;
  const subscription = toFact(headers['x-goog-pubsub-subscription-name']);
  const message = describePubSubMessage({
    data: body,
    attributes: readOwnHeaders(headers),
    contentType: toFact(headers['content-type']),
    messageId,
    subscription,
    scope: subscription,
    orderingKey: headers['x-goog-pubsub-ordering-key'],
    publishedAt: headers['x-goog-pubsub-publish-time'],
    traceparent: headers.traceparent,
  });
  return [message];
}
