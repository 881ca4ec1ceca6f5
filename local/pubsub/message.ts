import type { WireMessage, WireTime } from './protocol.ts';
import { RpcError } from './rpc-error.ts';

/** A message as a topic took it. */
export type PublishedMessage = {
  readonly messageId: string;
  readonly publishTime: Date;
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  /** Empty when the message has none. */
  readonly orderingKey: string;
};

export type MessageContent = Pick<PublishedMessage, 'data' | 'attributes' | 'orderingKey'>;

// https://cloud.google.com/pubsub/quotas
const limits = {
  messages: 1000,
  requestBytes: 10 * 1024 * 1024,
  attributes: 100,
  attributeNameBytes: 256,
  attributeValueBytes: 1024,
  orderingKeyBytes: 1024,
};

/** Throws INVALID_ARGUMENT for a publish request that the real service refuses; it refuses all of it or nothing. */
export function checkMessages(messages: readonly MessageContent[]): void {
  if (messages.length === 0) refuse('A publish request needs at least one message.');
  if (messages.length > limits.messages)
    refuse(`A publish request holds at most ${limits.messages} messages.`);
  for (const message of messages) checkMessage(message);
  const bytes = messages.reduce((sum, message) => sum + countBytes(message), 0);
  if (bytes > limits.requestBytes) {
    refuse(`Request payload size exceeds the limit: ${limits.requestBytes} bytes.`);
  }
}

function checkMessage({ data, attributes, orderingKey }: MessageContent): void {
  const entries = Object.entries(attributes);
  if (data.length === 0 && entries.length === 0) {
    refuse('A message needs non-empty data or at least one attribute.');
  }
  if (entries.length > limits.attributes) refuse(`A message has at most ${limits.attributes} attributes.`);
  checkBytes('ordering key', orderingKey, limits.orderingKeyBytes);
  for (const [name, value] of entries) {
    checkBytes('attribute name', name, limits.attributeNameBytes);
    checkBytes(`value of attribute ${name}`, value, limits.attributeValueBytes);
  }
}

function checkBytes(what: string, text: string, most: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > most) refuse(`The ${what} has ${bytes} bytes, at most ${most} are allowed.`);
}

function countBytes({ data, attributes, orderingKey }: MessageContent): number {
  return data.length + Buffer.byteLength(Object.entries(attributes).flat().join('') + orderingKey);
}

function refuse(reason: string): never {
  throw new RpcError('INVALID_ARGUMENT', reason);
}

/** The message as it travels to a subscriber by gRPC. */
export function toWireMessage(message: PublishedMessage): WireMessage {
  return { ...message, publishTime: toWireTime(message.publishTime) };
}

function toWireTime(time: Date): WireTime {
  const millis = time.getTime();
  return { seconds: Math.floor(millis / 1000), nanos: (millis % 1000) * 1_000_000 };
}
