import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { OfficeFunction } from './office-function.ts';

export type PushSubscriptionArgs = {
  readonly project: string;
  readonly topic: pulumi.Input<string>;
  readonly target: OfficeFunction;
  /** Pub/Sub itself, as IAM knows it in this project. */
  readonly pubsubAgent: pulumi.Input<string>;
  /** For so long an answer is waited for: up to 600. */
  readonly ackDeadlineSeconds: number;
};

/** As long as Pub/Sub keeps anything. */
const mostRetention = `${31 * 86_400}s`;
const never = { ttl: '' };
const retryPolicy = { minimumBackoff: '10s', maximumBackoff: '600s' };

/**
 * Brings what is published to a topic to a function, as somebody who may call it and do nothing else. What was refused
 * a hundred times over some sixteen hours waits in a subscription of its own, for a month, until people see to it.
 */
export class PushSubscription extends pulumi.ComponentResource {
  readonly subscription: string;
  /** Topic and subscription have the same name. */
  readonly lastResort: string;
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
    const lastResort = this.#makeLastResort(name, args);
    const subscription = new pubsub.Subscription(
      `${name}-push`,
      { ...toSubscription(args, pusher.email, lastResort.topic), name: `${name}-push` },
      { parent: this, dependsOn: [callable, readable, ...lastResort.ready] },
    );
    new pubsub.SubscriptionIAMMember(
      `${name}-push-gives-up`,
      { project, subscription: subscription.name, role: 'roles/pubsub.subscriber', member: pubsubAgent },
      { parent: this },
    );
    this.subscription = `${name}-push`;
    this.lastResort = `${name}-last-resort`;
    this.pusher = pusher.email;
    this.registerOutputs({});
  }

  #makeLastResort(name: string, { project, pubsubAgent }: PushSubscriptionArgs): LastResort {
    const topic = new pubsub.Topic(
      `${name}-last-resort`,
      { project, name: `${name}-last-resort` },
      { parent: this },
    );
    const publishable = new pubsub.TopicIAMMember(
      `${name}-last-resort-fills`,
      { project, topic: topic.name, role: 'roles/pubsub.publisher', member: pubsubAgent },
      { parent: this },
    );
    // A topic keeps nothing for those who come later.
    const subscription = new pubsub.Subscription(
      `${name}-last-resort-keeps`,
      {
        project,
        name: `${name}-last-resort`,
        topic: topic.id,
        ackDeadlineSeconds: 60,
        retryPolicy,
        messageRetentionDuration: mostRetention,
        expirationPolicy: never,
      },
      { parent: this },
    );
    return { topic: topic.id, ready: [publishable, subscription] };
  }
}

type LastResort = { readonly topic: pulumi.Output<string>; readonly ready: readonly pulumi.Resource[] };

function toSubscription(
  { project, topic, target, ackDeadlineSeconds }: PushSubscriptionArgs,
  pusher: pulumi.Input<string>,
  lastResort: pulumi.Input<string>,
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
    // Whatever a busy function or database turns away counts, so that nothing less would do.
    deadLetterPolicy: { deadLetterTopic: lastResort, maxDeliveryAttempts: 100 },
    messageRetentionDuration: mostRetention,
    // Otherwise Pub/Sub deletes a subscription that nothing came through for a month.
    expirationPolicy: never,
  };
}
