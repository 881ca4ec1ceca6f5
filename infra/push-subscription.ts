import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { openAccount } from './account.ts';
import type { CloudFunction } from './cloud-function.ts';
import { openComponent, ownCondition } from './component.ts';
import type { Settings } from './settings.ts';

type PushSubscriptionArgs = {
  readonly settings: Settings;
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
export function makePushSubscription(
  name: string,
  args: PushSubscriptionArgs,
  opts: pulumi.ComponentResourceOptions,
) {
  const { component, inside, make } = openComponent('PushSubscription', name, opts);
  const { settings, topic, target, pubsubAgent: member, ackDeadlineSeconds } = args;
  const { project, deletionProtection: protect } = settings;
  const pusher = openAccount(settings, `${name}-push`, `pushes to ${name}`, inside);
  const deadLetters = makeDeadLetters(`${name}-dead-letters`, args, component);
  const dependsOn = [
    target.allow(`${name}-push-calls`, pusher.member),
    make(serviceaccount.IAMMember, 'push-token', {
      serviceAccountId: pusher.name,
      role: 'roles/iam.serviceAccountOpenIdTokenCreator',
      member,
      condition: ownCondition(settings.name, 'pushes'),
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
  const pushTopic = (pushed: string, from: pulumi.Input<string>, parent: pulumi.Resource) => {
    subscriptions.push(pushed);
    const own = { ...pushing, name: pushed, topic: from };
    const { name: subscription } = new pubsub.Subscription(pushed, own, { parent, protect, dependsOn });
    const givesUp = { project, subscription, role: 'roles/pubsub.subscriber', member };
    new pubsub.SubscriptionIAMMember(`${pushed}-gives-up`, givesUp, { parent });
  };
  pushTopic(`${name}-push`, topic, component);
  return {
    /** Names of the push subscriptions: that of its topic, and of further topics. */
    subscriptions,
    /** Name of the dead-letter topic and of its subscription. */
    deadLetters: deadLetters.name,
    pusher: pusher.email,
    pushTopic,
  };
}

function makeDeadLetters(name: string, args: PushSubscriptionArgs, parent: pulumi.Resource) {
  const { settings, pubsubAgent: member } = args;
  const { project, kmsKey, deletionProtection: protect } = settings;
  const topic = new pubsub.Topic(
    name,
    { project, name, ...(kmsKey && { kmsKeyName: kmsKey }) },
    { parent, protect },
  );
  const filled = { project, topic: topic.name, role: 'roles/pubsub.publisher', member };
  // A topic keeps messages only for subscriptions that exist when they are published.
  const kept = { project, name, topic: topic.id, ackDeadlineSeconds: 60, retryPolicy, ...keeping };
  const ready = [
    new pubsub.TopicIAMMember(`${name}-fills`, filled, { parent }),
    new pubsub.Subscription(`${name}-keeps`, kept, { parent, protect }),
  ];
  return { name, topic: topic.id, ready };
}
