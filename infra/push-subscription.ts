import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { openAccount } from './account.ts';
import type { CloudFunction } from './cloud-function.ts';
import { Component } from './component.ts';
import type { Settings } from './settings.ts';

export type PushSubscriptionArgs = {
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

/**
 * Pushes the messages of a topic to a function, by a service account that may call it alone. A message that
 * was rejected 100 times, over about 16 hours, moves to a dead-letter topic, kept for 31 days.
 */
export class PushSubscription extends Component {
  /** Names of the push subscriptions: that of its topic, and of further topics. */
  readonly subscriptions: string[] = [];
  /** Name of the dead-letter topic and of its subscription. */
  readonly deadLetters: string;
  readonly pusher: pulumi.Output<string>;
  readonly #args: PushSubscriptionArgs;
  readonly #pushing: Omit<pubsub.SubscriptionArgs, 'topic'>;
  readonly #ready: pulumi.Resource[];

  constructor(name: string, args: PushSubscriptionArgs, opts?: pulumi.ComponentResourceOptions) {
    super('PushSubscription', name, opts);
    this.#args = args;
    const { settings, topic, target, pubsubAgent, ackDeadlineSeconds } = args;
    this.deadLetters = `${name}-dead-letters`;
    const pusher = openAccount(settings, `${name}-push`, `pushes to ${name}`, { parent: this });
    this.pusher = pusher.email;
    const callable = target.allow(`${name}-push-calls`, pusher.member);
    const readable = this.make(serviceaccount.IAMMember, 'push-token', {
      serviceAccountId: pusher.name,
      role: 'roles/iam.serviceAccountOpenIdTokenCreator',
      member: pubsubAgent,
    });
    const deadLetters = this.#makeDeadLetters(args);
    this.#ready = [callable, readable, ...deadLetters.ready];
    const oidcToken = { serviceAccountEmail: pusher.email, audience: target.url };
    this.#pushing = {
      project: settings.project,
      pushConfig: { pushEndpoint: target.url, oidcToken },
      ackDeadlineSeconds,
      retryPolicy,
      // The maximum: answers of a busy function or database count as attempts.
      deadLetterPolicy: { deadLetterTopic: deadLetters.topic, maxDeliveryAttempts: 100 },
      ...keeping,
    };
    this.pushTopic(`${name}-push`, topic);
  }

  /** Pushes a further topic to the same function, with the same account and the same dead-letter topic. */
  pushTopic(name: string, topic: pulumi.Input<string>, parent: pulumi.Resource = this): void {
    const { settings, pubsubAgent: member } = this.#args;
    const { project, deletionProtection: protect } = settings;
    this.subscriptions.push(name);
    const opts = { parent, protect, dependsOn: this.#ready };
    const made = new pubsub.Subscription(name, { ...this.#pushing, name, topic }, opts);
    const givesUp = { project, subscription: made.name, role: 'roles/pubsub.subscriber', member };
    new pubsub.SubscriptionIAMMember(`${name}-gives-up`, givesUp, { parent });
  }

  #makeDeadLetters({ settings, pubsubAgent: member }: PushSubscriptionArgs) {
    const { project, kmsKey, deletionProtection: protect } = settings;
    const name = this.deadLetters;
    const opts = { parent: this, protect };
    const topic = new pubsub.Topic(name, { project, name, ...(kmsKey && { kmsKeyName: kmsKey }) }, opts);
    const publishable = this.make(pubsub.TopicIAMMember, 'dead-letters-fills', {
      project,
      topic: topic.name,
      role: 'roles/pubsub.publisher',
      member,
    });
    // A topic keeps messages only for subscriptions that exist when they are published.
    const kept = { project, name, topic: topic.id, ackDeadlineSeconds: 60, retryPolicy, ...keeping };
    const subscription = new pubsub.Subscription(`${name}-keeps`, kept, opts);
    return { topic: topic.id, ready: [publishable, subscription] };
  }
}
