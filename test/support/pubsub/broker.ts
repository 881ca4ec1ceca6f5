import type { MessageContent, PublishedMessage } from './message.ts';
import { RpcError } from './rpc-error.ts';

export type Topic = {
  readonly name: string;
  readonly messages: PublishedMessage[];
  /** Their full names. */
  readonly subscriptions: string[];
};

/** All topics by full resource name, and the id of the latest message. */
export type Broker = {
  readonly topics: Map<string, Topic>;
  lastMessageId: number;
};

/** Creates a broker without topics. */
export function createBroker(): Broker {
  // Ids start at the clock, not at zero: a database that outlives the stand-in knows the ids of earlier
  // starts and would treat a new message with an old id as a duplicate.
  return { topics: new Map(), lastMessageId: Date.now() * 1000 };
}

/**
 * Creates a topic. Throws INVALID_ARGUMENT for a name that the real service rejects, ALREADY_EXISTS for a
 * taken one.
 */
export function createTopic({ topics }: Broker, name: string): void {
  checkNewName([...topics.keys()], 'topics', name);
  topics.set(name, { name, messages: [], subscriptions: [] });
}

/** Adds a subscription to a topic. Throws as createTopic does, and NOT_FOUND for an unknown topic. */
export function subscribe(broker: Broker, topic: string, name: string): void {
  const names = [...broker.topics.values()].flatMap(({ subscriptions }) => subscriptions);
  checkNewName(names, 'subscriptions', name);
  findTopic(broker, topic).subscriptions.push(name);
}

/** Records a message. Returns its id. */
export function publish(broker: Broker, topic: Topic, content: MessageContent): string {
  broker.lastMessageId += 1;
  const message = { ...content, messageId: String(broker.lastMessageId), publishTime: new Date() };
  topic.messages.push(message);
  return message.messageId;
}

/** Throws NOT_FOUND. */
export function findTopic({ topics }: Broker, name: string): Topic {
  const topic = topics.get(name);
  if (topic) return topic;
  throw new RpcError('NOT_FOUND', `Resource not found (resource=${name.split('/').at(-1)}).`);
}

function checkNewName(taken: readonly string[], kind: 'topics' | 'subscriptions', name: string): void {
  const [projects, project, collection, id, ...rest] = name.split('/');
  const isPath = projects === 'projects' && project && collection === kind && rest.length === 0;
  if (!isPath || !id || !/^(?!goog)[A-Za-z][\w.~+%-]{2,254}$/.test(id)) {
    throw new RpcError(
      'INVALID_ARGUMENT',
      `Invalid resource name (name=${name}): use projects/PROJECT/${kind}/ID.`,
    );
  }
  if (taken.includes(name)) {
    throw new RpcError('ALREADY_EXISTS', `Resource already exists in the project (resource=${id}).`);
  }
}
