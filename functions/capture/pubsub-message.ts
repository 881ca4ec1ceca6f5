import { parseCloudEvent } from './cloudevent-json.ts';
import { readHeaderFacts } from './header-facts.ts';
import { readerOf } from './header-value.ts';
import { keyFromHeaders } from './identity.ts';
import type { Message } from './message.ts';
import { toFact, toMoment } from './text.ts';

/** A Pub/Sub message as any of its carriers delivers it. */
export type PubSubMessage = {
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  readonly messageId: string;
  readonly subscription: string | null;
  /** What the message id is unique in: the subscription, as the topic is mostly not told. Without it no identity. */
  readonly scope: string | null;
  readonly orderingKey: unknown;
  readonly publishedAt: unknown;
  /** Of the delivery; the message's own ones go before it. */
  readonly traceparent: string | undefined;
};

/**
 * The message with what Pub/Sub tells about it, and the CloudEvent that it may be. How often it was delivered to us
 * tells nothing about its consumer.
 */
export function describePubSubMessage(pubsub: PubSubMessage): Message {
  const message = unwrapCloudEvent(pubsub);
  const told = readerOf(message.headers);
  const messageKey = pubsub.scope === null ? undefined : `pubsub:${pubsub.scope}/${pubsub.messageId}`;
  const eventKey = keyFromHeaders(message.headers, null) ?? messageKey;
  return {
    ...message,
    facts: {
      ...readHeaderFacts(message.headers, pubsub.traceparent),
      ...(eventKey !== undefined && { eventKey }),
      carrierId: pubsub.messageId,
      sourceKind: 'pubsub',
      sourceSubscription: pubsub.subscription,
      sourceKey: toFact(pubsub.orderingKey) ?? told('ce-subject'),
      occurredAt: toMoment(told('ce-time')) ?? toMoment(pubsub.publishedAt),
    },
  };
}

/**
 * An event in structured mode becomes the same event in binary mode, so that both are one thing from here on.
 * https://github.com/googleapis/google-cloudevents/blob/main/docs/spec/pubsub.md
 */
function unwrapCloudEvent({ data, attributes, contentType }: PubSubMessage): Omit<Message, 'facts'> {
  const event = parseCloudEvent(data);
  if (!event) {
    const type = contentType ?? toFact(attributes['ce-datacontenttype']);
    return { body: data, contentType: type, headers: attributes };
  }
  const { 'content-type': _, ...others } = attributes;
  const own = Object.entries(event.attributes).map(([name, value]) => [`ce-${name}`, value]);
  return {
    body: event.data,
    contentType: event.contentType,
    headers: { ...others, ...Object.fromEntries(own) },
  };
}
