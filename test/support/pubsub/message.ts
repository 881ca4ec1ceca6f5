import { RpcError } from './rpc-error.ts';

/** A message of a topic. */
export type PublishedMessage = {
  readonly messageId: string;
  readonly publishTime: Date;
  readonly data: Buffer;
  readonly attributes: Readonly<Record<string, string>>;
  /** Empty if the message has none. */
  readonly orderingKey: string;
};

export type MessageContent = Pick<PublishedMessage, 'data' | 'attributes' | 'orderingKey'>;

const maxBytes = 10 * 1024 * 1024;
const maxMessages = 1000;
const maxAttributes = 100;

/**
 * Throws INVALID_ARGUMENT for a publish request that the real service rejects, always as a whole
 * (https://cloud.google.com/pubsub/quotas).
 */
export function checkMessages(messages: readonly MessageContent[]): void {
  if (messages.length === 0) reject('A publish request needs at least one message.');
  if (messages.length > maxMessages) reject(`A publish request holds at most ${maxMessages} messages.`);
  for (const message of messages) checkMessage(message);
  const bytes = messages.reduce((sum, message) => sum + countBytes(message), 0);
  if (bytes > maxBytes) reject(`Request payload size exceeds the limit: ${maxBytes} bytes.`);
}

function checkMessage({ data, attributes, orderingKey }: MessageContent): void {
  const entries = Object.entries(attributes);
  if (data.length === 0 && entries.length === 0) reject('A message needs non-empty data or an attribute.');
  if (entries.length > maxAttributes) reject(`A message has at most ${maxAttributes} attributes.`);
  checkBytes('ordering key', orderingKey, 1024);
  for (const [name, value] of entries) {
    checkBytes('attribute name', name, 256);
    checkBytes(`value of attribute ${name}`, value, 1024);
  }
}

function checkBytes(what: string, text: string, max: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > max) reject(`The ${what} has ${bytes} bytes, at most ${max} are allowed.`);
}

function countBytes({ data, attributes, orderingKey }: MessageContent): number {
  return data.length + Buffer.byteLength(Object.entries(attributes).flat().join('') + orderingKey);
}

function reject(reason: string): never {
  throw new RpcError('INVALID_ARGUMENT', reason);
}
