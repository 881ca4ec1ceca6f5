import type { TargetHeaders } from './post.ts';

/** A topic behind a Kafka REST bridge. `clusterId` goes with Confluent's. */
export type KafkaRestBridge = TargetHeaders & {
  readonly flavor: 'strimzi' | 'confluent-v3';
  readonly url: string;
  readonly topic: string;
  readonly clusterId?: string | undefined;
};

/** Returns the URL of the topic on its bridge. */
export function locateTopic({ url, topic, clusterId }: KafkaRestBridge): string {
  const cluster = clusterId === undefined ? '' : `/v3/clusters/${clusterId}`;
  return `${url}${cluster}/topics/${topic}`;
}
