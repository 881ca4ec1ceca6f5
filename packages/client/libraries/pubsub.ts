import { findApplicationId } from '../event-id.ts';
import type { Guard } from '../guard.ts';
import type { MessageFacts } from '../message-facts.ts';

/** A message of `@google-cloud/pubsub`. */
export type PubSubMessage = {
  readonly id: string;
  readonly data: Uint8Array;
  readonly attributes: Readonly<Record<string, string>>;
  readonly orderingKey?: string | undefined;
  readonly publishTime: Date;
  /** Zero without a dead-letter policy: Pub/Sub counts deliveries only for one. */
  readonly deliveryAttempt: number;
  ack(): void;
  nack(): void;
};

/**
 * For `subscription.on('message', ...)`: acknowledges a message that was handled or reported, and returns
 * any other to Pub/Sub.
 */
export function wrapPubSub(guard: Guard) {
  return <Message extends PubSubMessage>(handler: (message: Message) => unknown) =>
    async (message: Message): Promise<void> => {
      const { is } = await guard(
        () => handler(message),
        () => readMessage(message),
      );
      if (is === 'left') message.nack();
      else message.ack();
    };
}

function readMessage(message: PubSubMessage): MessageFacts {
  const { id, data, attributes, orderingKey, publishTime, deliveryAttempt } = message;
  return readPubSubMessage({
    ...{ messageId: id, data, attributes, orderingKey, deliveryAttempt },
    publishTime: new Date(publishTime),
  });
}

type Received = {
  readonly messageId: string | undefined;
  readonly data: Uint8Array;
  readonly attributes: Readonly<Record<string, string>> | undefined;
  readonly orderingKey: string | undefined;
  readonly publishTime: Date;
  readonly deliveryAttempt: number | undefined;
  readonly subscription?: string | undefined;
};

/** A message as Pub/Sub delivers it, by either of its transports. */
export function readPubSubMessage({ messageId, data, attributes = {}, ...message }: Received): MessageFacts {
  return {
    body: data,
    headers: attributes,
    eventId: findApplicationId(attributes) ?? messageId,
    occurredAt: message.publishTime,
    source: {
      kind: 'pubsub',
      key: message.orderingKey || undefined,
      subscription: message.subscription,
      attempts: message.deliveryAttempt || undefined,
    },
  };
}
