import { type Broker, checkNewName, findTopic, publish } from './broker.ts';
import { checkMessages } from './message.ts';
import type { WireMessage } from './protocol.ts';

type WireTopic = { readonly name: string };
type TopicRequest = { readonly topic: string };
type PublishRequest = { readonly topic: string; readonly messages: readonly WireMessage[] };

/** The methods of google.pubsub.v1.Publisher that the stand-in knows; the others answer UNIMPLEMENTED. */
export function answerPublisher(broker: Broker) {
  return {
    CreateTopic(topic: WireTopic) {
      checkNewName(broker.topics, 'topics', topic.name);
      broker.topics.set(topic.name, { name: topic.name, messages: [], subscriptions: new Set() });
      return topic;
    },
    GetTopic: ({ topic }: TopicRequest) => ({ name: findTopic(broker, topic).name }),
    DeleteTopic({ topic }: TopicRequest) {
      broker.topics.delete(findTopic(broker, topic).name);
      return {};
    },
    ListTopics({ project }: { readonly project: string }) {
      const topics = [...broker.topics.values()].filter(({ name }) => name.startsWith(`${project}/`));
      return { topics: topics.map(({ name }) => ({ name })) };
    },
    ListTopicSubscriptions({ topic }: TopicRequest) {
      return { subscriptions: [...findTopic(broker, topic).subscriptions].map(({ wire }) => wire.name) };
    },
    Publish({ topic: name, messages }: PublishRequest) {
      const topic = findTopic(broker, name);
      checkMessages(messages);
      return { messageIds: messages.map((message) => publish(broker, topic, message)) };
    },
  };
}
