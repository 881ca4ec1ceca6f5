import { enqueue } from './leasing.ts';
import type { MessageContent, PublishedMessage } from './message.ts';
import { RpcError } from './rpc-error.ts';
import type { Subscription } from './subscription.ts';

export type Topic = {
  readonly name: string;
  readonly messages: PublishedMessage[];
  readonly subscriptions: Set<Subscription>;
};

/** Everything the stand-in remembers, by full resource name. */
export type Broker = {
  readonly topics: Map<string, Topic>;
  readonly subscriptions: Map<string, Subscription>;
  lastMessageId: number;
};

/** Creates a broker without topics. */
export function createBroker(): Broker {
  // Ids grow from the clock and not from zero: a database that outlives the stand-in knows the ids of earlier
  // starts, and would take a new message with an old id for a duplicate.
  return { topics: new Map(), subscriptions: new Map(), lastMessageId: Date.now() * 1000 };
}

/** Records a message and passes it to every subscription of the topic. Returns its id. */
export function publish(broker: Broker, topic: Topic, content: MessageContent): string {
  broker.lastMessageId += 1;
  const message = { ...content, messageId: String(broker.lastMessageId), publishTime: new Date() };
  topic.messages.push(message);
  for (const subscription of topic.subscriptions) enqueue(subscription, message);
  return message.messageId;
}

/** Throws NOT_FOUND. */
export function findTopic(broker: Broker, name: string): Topic {
  return broker.topics.get(name) ?? refuseUnknown(name);
}

/** Throws NOT_FOUND. */
export function findSubscription(broker: Broker, name: string): Subscription {
  return broker.subscriptions.get(name) ?? refuseUnknown(name);
}

/** Throws INVALID_ARGUMENT for a name that the real service refuses, and ALREADY_EXISTS for one that is taken. */
export function checkNewName(
  taken: ReadonlyMap<string, unknown>,
  kind: 'topics' | 'subscriptions',
  name: string,
) {
  const [projects, project, collection, id, ...rest] = name.split('/');
  const isPath = projects === 'projects' && project && collection === kind && rest.length === 0;
  if (!isPath || !id || !/^(?!goog)[A-Za-z][\w.~+%-]{2,254}$/.test(id)) {
    throw new RpcError(
      'INVALID_ARGUMENT',
      `Invalid resource name (name=${name}): use projects/PROJECT/${kind}/ID.`,
    );
  }
  if (taken.has(name)) {
    throw new RpcError('ALREADY_EXISTS', `Resource already exists in the project (resource=${id}).`);
  }
}

function refuseUnknown(name: string): never {
  throw new RpcError('NOT_FOUND', `Resource not found (resource=${name.split('/').at(-1)}).`);
}
