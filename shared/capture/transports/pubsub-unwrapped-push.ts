import { toText } from '../column-values.ts';
import { decodePercent } from '../decode-bytes.ts';
import type { Message, ParsedInbound } from '../message.ts';
import { readMessageHeaders } from '../message-headers.ts';
import { describePubSubMessage } from '../pubsub-message.ts';

/**
 * Unwrapped Pub/Sub push: data as the body, attributes as headers, and with `write_metadata` the message's
 * metadata as `x-goog-pubsub-*`, without which such a request looks like any other. A CloudEvent in the
 * attributes is a Pub/Sub message, too: wrapped or not, the same message is the same event.
 * https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
export function readUnwrappedPush({ headers, body, json }: ParsedInbound): Message[] | undefined {
  const messageId = headers['x-goog-pubsub-message-id'];
  if (!messageId) return undefined;
  const subscription = toText(headers['x-goog-pubsub-subscription-name']);
  const message = describePubSubMessage({
    content: { body, json },
    attributes: decodeAttributes(readMessageHeaders(headers)),
    contentType: toText(headers['content-type']),
    messageId,
    subscription,
    scope: subscription,
    // The second name is that of Google's emulator.
    orderingKey: headers['x-goog-pubsub-ordering-key'] ?? headers['x-goog-ordering-key'],
    publishedAt: headers['x-goog-pubsub-publish-time'],
    traceparent: headers.traceparent,
  });
  return [message];
}

/** Those of a CloudEvent are percent-encoded in HTTP. */
function decodeAttributes(attributes: Record<string, string>): Record<string, string> {
  if (!('ce-specversion' in attributes)) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      name.startsWith('ce-') ? decodePercent(value) : value,
    ]),
  );
}
