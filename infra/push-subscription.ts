import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import type * as pulumi from '@pulumi/pulumi';
import type { CloudFunction } from './cloud-function.ts';
import { Component } from './component.ts';

export type PushSubscriptionArgs = {
  readonly project: string;
  readonly topic: pulumi.Input<string>;
  readonly target: CloudFunction;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Input<string>;
  /** Seconds that Pub/Sub waits for an answer, at most 600. */
  readonly ackDeadlineSeconds: number;
};

/** The maximum retention of Pub/Sub, which otherwise deletes a subscription after 31 days without activity. */
const keeping = { messageRetentionDuration: `${31 * 86_400}s`, expirationPolicy: { ttl: '' } };
const retryPolicy = { minimumBackoff: '10s', maximumBackoff: '600s' };

/**
 * Pushes the messages of a topic to a function, with a service account that may call only this function. A message that
 * was rejected 100 times, over about 16 hours, moves to a dead-letter topic, whose subscription keeps it for 31 days.
 */
export class PushSubscription extends Component {
  readonly subscription: string;
  /** Name of the dead-letter topic and of its subscription. */
  readonly deadLetters: string;
  readonly pusher: pulumi.Output<string>;

  constructor(name: string, args: PushSubscriptionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('PushSubscription', name, opts);
    const { project, topic, target, pubsubAgent, ackDeadlineSeconds } = args;
    this.subscription = `${name}-push`;
    this.deadLetters = `${name}-dead-letters`;
    const pusher = this.make(serviceaccount.Account, 'push-account', {
      project,
      accountId: `${name}-push`,
      displayName: `Dead Letter Office: pushes to ${name}`,
    });
    const callable = target.allow(`${name}-push-calls`, pusher.member);
    const readable = this.make(serviceaccount.IAMMember, 'push-token', {
      serviceAccountId: pusher.name,
      role: 'roles/iam.serviceAccountOpenIdTokenCreator',
      member: pubsubAgent,
    });
    const deadLetters = this.#makeDeadLetters(args);
    const subscription = new pubsub.Subscription(
      `${name}-push`,
      {
        project,
        name: this.subscription,
        topic,
        pushConfig: {
          pushEndpoint: target.url,
          oidcToken: { serviceAccountEmail: pusher.email, audience: target.url },
        },
        ackDeadlineSeconds,
        retryPolicy,
        // The maximum: answers of a busy function or database count as attempts.
        deadLetterPolicy: { deadLetterTopic: deadLetters.topic, maxDeliveryAttempts: 100 },
        ...keeping,
      },
      { parent: this, dependsOn: [callable, readable, ...deadLetters.ready] },
    );
    this.make(pubsub.SubscriptionIAMMember, 'push-gives-up', {
      project,
      subscription: subscription.name,
      role: 'roles/pubsub.subscriber',
      member: pubsubAgent,
    });
    this.pusher = pusher.email;
  }

  #makeDeadLetters({ project, pubsubAgent: member }: PushSubscriptionArgs) {
    const topic = this.make(pubsub.Topic, 'dead-letters', { project, name: this.deadLetters });
    const publishable = this.make(pubsub.TopicIAMMember, 'dead-letters-fills', {
      project,
      topic: topic.name,
      role: 'roles/pubsub.publisher',
      member,
    });
    // A topic keeps messages only for subscriptions that exist when they are published.
    const subscription = this.make(pubsub.Subscription, 'dead-letters-keeps', {
      project,
      name: this.deadLetters,
      topic: topic.id,
      ackDeadlineSeconds: 60,
      retryPolicy,
      ...keeping,
    });
    return { topic: topic.id, ready: [publishable, subscription] };
  }
}
