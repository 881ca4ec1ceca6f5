import { describeContent } from './cloud-event.ts';
import { toDate, toText } from './column-values.ts';
import type { Content } from './content.ts';
import { readHeaderFacts } from './header-facts.ts';
import { readHeader } from './header-values.ts';
import { toPublication } from './identity.ts';
import type { Message } from './message.ts';

/** A Pub/Sub message, as each transport of Pub/Sub delivers it. */
export type PubSubMessage = {
  readonly content: Content;
  readonly attributes: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  readonly messageId: string;
  readonly subscription: string | null;
  /**
   * The scope in which the message id is unique: the subscription, as most deliveries omit the topic. Null:
   * no key.
   */
  readonly scope: string | null;
  readonly orderingKey: unknown;
  readonly publishedAt: unknown;
  /** The traceparent of the delivery; one of the message takes precedence. */
  readonly traceparent: string | undefined;
};

/**
 * The message with the facts that Pub/Sub reports, and with those of the CloudEvent in it. The delivery
 * attempt is no fact: it counts deliveries to capture, not to the consumer.
 */
export function describePubSubMessage(pubsub: PubSubMessage): Message {
  const { content, attributes } = pubsub;
  const message = describeContent(content, attributes, 'ce-');
  const headers = { ...attributes, ...message.attributes };
  return {
    ...message,
    contentType: message.contentType ?? pubsub.contentType ?? toText(attributes['ce-datacontenttype']),
    facts: {
      ...(pubsub.scope !== null && { eventKey: `pubsub:${pubsub.scope}/${pubsub.messageId}` }),
      ...readHeaderFacts(headers, pubsub.traceparent),
      deliveryId: pubsub.messageId,
      publication: toPublication(toDate(pubsub.publishedAt)),
      sourceKind: 'pubsub',
      sourceSubscription: pubsub.subscription,
      sourceKey: toText(pubsub.orderingKey) ?? readHeader(headers, 'ce-subject'),
      occurredAt: toDate(readHeader(headers, 'ce-time')) ?? toDate(pubsub.publishedAt),
    },
  };
}
