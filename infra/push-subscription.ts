import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { openAccount } from './account.ts';
import type { CloudFunction } from './cloud-function.ts';
import { type Deployment, ownCondition } from './deployment.ts';

type PushSubscriptionArgs = {
  readonly topic: pulumi.Input<string>;
  readonly target: CloudFunction;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Input<string>;
  /** Seconds that Pub/Sub waits for an answer, at most 600. */
  readonly ackDeadlineSeconds: number;
};

/** The maximum. Without a policy Pub/Sub deletes a subscription after 31 days without activity. */
const keeping = { messageRetentionDuration: `${31 * 86_400}s`, expirationPolicy: { ttl: '' } };
const retryPolicy = { minimumBackoff: '10s', maximumBackoff: '600s' };

export type PushSubscription = ReturnType<typeof makePushSubscription>;

/**
 * Pushes the messages of a topic to a function, by a service account that may call it alone. A message that
 * was rejected 100 times, over about 16 hours, moves to a dead-letter topic, kept for 31 days.
 */
export function makePushSubscription(deployment: Deployment, name: string, args: PushSubscriptionArgs) {
  const { settings, make } = deployment;
  const { topic, target, pubsubAgent: member, ackDeadlineSeconds } = args;
  const { project, name: prefix, deletionProtection: protect } = settings;
  const pusher = openAccount(deployment, `${name}-push`, `pushes to ${prefix}-${name}`);
  const deadLetters = makeDeadLetters(deployment, `${name}-dead-letters`, member);
  const dependsOn = [
    target.allow(`${name}-push-calls`, pusher.member),
    make(serviceaccount.IAMMember, `${name}-push-token`, {
      serviceAccountId: pusher.name,
      role: 'roles/iam.serviceAccountOpenIdTokenCreator',
      member,
      condition: ownCondition(prefix, 'pushes'),
    }),
    ...deadLetters.ready,
  ];
  const oidcToken = { serviceAccountEmail: pusher.email, audience: target.url };
  const pushing = {
    project,
    pushConfig: { pushEndpoint: target.url, oidcToken },
    ackDeadlineSeconds,
    retryPolicy,
    // The maximum: answers of a busy function or database count as attempts.
    deadLetterPolicy: { deadLetterTopic: deadLetters.topic, maxDeliveryAttempts: 100 },
    ...keeping,
  };
  const subscriptions: string[] = [];
  /** Pushes a further topic to the same function, with the same account and the same dead-letter topic. */
  const pushTopic = (what: string, from: pulumi.Input<string>) => {
    const own = { ...pushing, name: `${prefix}-${what}`, topic: from };
    subscriptions.push(own.name);
    const { name: subscription } = make(pubsub.Subscription, what, own, { protect, dependsOn });
    const givesUp = { project, subscription, role: 'roles/pubsub.subscriber', member };
    make(pubsub.SubscriptionIAMMember, `${what}-gives-up`, givesUp);
  };
  pushTopic(`${name}-push`, topic);
  return {
    /** Names of the push subscriptions: that of its topic, and of further topics. */
    subscriptions,
    /** Name of the dead-letter topic and of its subscription. */
    deadLetters: deadLetters.name,
    pusher: pusher.email,
    pushTopic,
  };
}

function makeDeadLetters({ settings, make }: Deployment, what: string, member: pulumi.Input<string>) {
  const { project, kmsKey, deletionProtection: protect } = settings;
  const name = `${settings.name}-${what}`;
  const own = { project, name, ...(kmsKey && { kmsKeyName: kmsKey }) };
  const topic = make(pubsub.Topic, what, own, { protect });
  const filled = { project, topic: topic.name, role: 'roles/pubsub.publisher', member };
  // A topic keeps messages only for subscriptions that exist when they are published.
  const kept = { project, name, topic: topic.id, ackDeadlineSeconds: 60, retryPolicy, ...keeping };
  const ready = [
    make(pubsub.TopicIAMMember, `${what}-fills`, filled),
    make(pubsub.Subscription, `${what}-keeps`, kept, { protect }),
  ];
  return { name, topic: topic.id, ready };
}
