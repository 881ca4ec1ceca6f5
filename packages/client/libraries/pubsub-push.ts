import type { MessageFacts } from '../message-facts.ts';
import { readPubSubMessage } from './pubsub.ts';

type PushMessage = {
  readonly data?: string;
  readonly attributes?: Readonly<Record<string, string>> | null;
  readonly messageId?: string;
  readonly publishTime?: string;
  readonly orderingKey?: string;
};

/** Reads the body of a wrapped push, or the data of an Eventarc trigger. Undefined for any other value. */
export function readPush(body: unknown): MessageFacts | undefined {
  const { message, subscription, deliveryAttempt } = openObject(body);
  const { messageId, data, attributes, orderingKey, publishTime }: PushMessage = openObject(message);
  if (typeof messageId !== 'string' || typeof subscription !== 'string') return undefined;
  return readPubSubMessage({
    messageId,
    subscription,
    orderingKey,
    data: Buffer.from(data ?? '', 'base64'),
    attributes: attributes ?? undefined,
    publishTime: new Date(publishTime ?? Date.now()),
    deliveryAttempt: typeof deliveryAttempt === 'number' ? deliveryAttempt : undefined,
  });
}

function openObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
