import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { CloudFunction } from './cloud-function.ts';

export type PushSubscriptionArgs = {
  readonly project: string;
  readonly topic: pulumi.Input<string>;
  readonly target: CloudFunction;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Input<string>;
  /** Seconds that Pub/Sub waits for an answer, at most 600. */
  readonly ackDeadlineSeconds: number;
};

/** The maximum retention of Pub/Sub. */
const maxRetention = `${31 * 86_400}s`;
const never = { ttl: '' };
const retryPolicy = { minimumBackoff: '10s', maximumBackoff: '600s' };

/**
 * Pushes the messages of a topic to a function, with a service account that may call only this function. A message that
 * was rejected 100 times, over about 16 hours, moves to a dead-letter topic, whose subscription keeps it for 31 days.
 */
export class PushSubscription extends pulumi.ComponentResource {
  readonly subscription: string;
  /** Name of the dead-letter topic and of its subscription. */
  readonly deadLetters: string;
  readonly pusher: pulumi.Output<string>;

  constructor(name: string, args: PushSubscriptionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:PushSubscription', name, {}, opts);
    const { project, target, pubsubAgent } = args;
    const pusher = new serviceaccount.Account(
      `${name}-push-account`,
      { project, accountId: `${name}-push`, displayName: `Dead Letter Office: pushes to ${name}` },
      { parent: this },
    );
    const callable = target.allow(`${name}-push-calls`, pusher.member);
    const readable = new serviceaccount.IAMMember(
      `${name}-push-token`,
      {
        serviceAccountId: pusher.name,
        role: 'roles/iam.serviceAccountOpenIdTokenCreator',
        member: pubsubAgent,
      },
      { parent: this },
    );
    const deadLetters = this.#makeDeadLetters(name, args);
    const subscription = new pubsub.Subscription(
      `${name}-push`,
      { ...toSubscription(args, pusher.email, deadLetters.topic), name: `${name}-push` },
      { parent: this, dependsOn: [callable, readable, ...deadLetters.ready] },
    );
    new pubsub.SubscriptionIAMMember(
      `${name}-push-gives-up`,
      { project, subscription: subscription.name, role: 'roles/pubsub.subscriber', member: pubsubAgent },
      { parent: this },
    );
    this.subscription = `${name}-push`;
    this.deadLetters = `${name}-dead-letters`;
    this.pusher = pusher.email;
    this.registerOutputs({});
  }

  #makeDeadLetters(name: string, { project, pubsubAgent }: PushSubscriptionArgs): DeadLetters {
    const topic = new pubsub.Topic(
      `${name}-dead-letters`,
      { project, name: `${name}-dead-letters` },
      { parent: this },
    );
    const publishable = new pubsub.TopicIAMMember(
      `${name}-dead-letters-fills`,
      { project, topic: topic.name, role: 'roles/pubsub.publisher', member: pubsubAgent },
      { parent: this },
    );
    // A topic keeps messages only for subscriptions that exist when they are published.
    const subscription = new pubsub.Subscription(
      `${name}-dead-letters-keeps`,
      {
        project,
        name: `${name}-dead-letters`,
        topic: topic.id,
        ackDeadlineSeconds: 60,
        retryPolicy,
        messageRetentionDuration: maxRetention,
        expirationPolicy: never,
      },
      { parent: this },
    );
    return { topic: topic.id, ready: [publishable, subscription] };
  }
}

type DeadLetters = { readonly topic: pulumi.Output<string>; readonly ready: readonly pulumi.Resource[] };

function toSubscription(
  { project, topic, target, ackDeadlineSeconds }: PushSubscriptionArgs,
  pusher: pulumi.Input<string>,
  deadLetters: pulumi.Input<string>,
) {
  return {
    project,
    topic,
    pushConfig: {
      pushEndpoint: target.url,
      oidcToken: { serviceAccountEmail: pusher, audience: target.url },
    },
    ackDeadlineSeconds,
    retryPolicy,
    // The maximum: answers of a busy function or database count as attempts.
    deadLetterPolicy: { deadLetterTopic: deadLetters, maxDeliveryAttempts: 100 },
    messageRetentionDuration: maxRetention,
    // Without this Pub/Sub deletes a subscription after 31 days without activity.
    expirationPolicy: never,
  };
}
