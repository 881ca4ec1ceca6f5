import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { CloudFunction } from './cloud-function.ts';
import { Component } from './component.ts';
import { slugOf } from './members.ts';
import type { PushSubscription } from './push-subscription.ts';
import type { Settings } from './settings.ts';
import { type Source, splitName } from './source-settings.ts';

export type SourcesArgs = {
  readonly settings: Settings;
  readonly topic: pubsub.Topic;
  readonly capture: CloudFunction;
  /** Pushes messages to capture. */
  readonly push: PushSubscription;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Output<string>;
};

/** Grants each source the permissions that it needs, and returns the step that remains at the source. */
export class Sources extends Component {
  /** By source name: a command to run, or the settings of the sending program. */
  readonly nextSteps: Readonly<Record<string, pulumi.Output<string>>>;
  readonly #args: SourcesArgs;
  // One grant per member: if two sources shared one, removing either would revoke it for both.
  readonly #granted = new Set<string>();
  readonly #agents = new Map<string, pulumi.Output<string>>();

  constructor(name: string, args: SourcesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Sources', name, opts);
    this.#args = args;
    const { project, sources } = args.settings;
    this.#agents.set(project, args.pubsubAgent);
    this.nextSteps = Object.fromEntries(sources.map((source) => [source.name, this.#connect(source)]));
  }

  #connect(source: Source): pulumi.Output<string> {
    if (source.kind === 'caller') return this.#connectCaller(source.member);
    if (source.kind === 'publisher') return this.#connectPublisher(source.member);
    if (source.kind === 'topic') return this.#connectTopic(source);
    return this.#connectSubscription(source);
  }

  /**
   * A topic keeps no messages: those from before are in the subscriptions that it had (docs/bring-over.md).
   */
  #connectTopic({ name, topic }: Source & { kind: 'topic' }): pulumi.Output<string> {
    this.#args.push.pushTopic(`${this.prefix}-${name}`, topic, this);
    return pulumi.output(`Every new message of ${topic} is captured.`);
  }

  #connectCaller(member: string): pulumi.Output<string> {
    const { capture } = this.#args;
    const grant = `${this.prefix}-${slugOf(member)}-calls`;
    this.#once(grant, () => capture.allow(grant, member));
    return pulumi.interpolate`POST failures to ${capture.url}, with an identity token for this URL.`;
  }

  #connectPublisher(member: string): pulumi.Output<string> {
    const { topic, settings } = this.#args;
    this.#allowPublishing(`${slugOf(member)}-publishes`, member);
    return pulumi.interpolate`Publish failures to ${topic.id}; in Kafka Connect: cps.project=${settings.project} cps.topic=${topic.name}`;
  }

  /** The Pub/Sub service agent of the subscription's project moves the dead letters. */
  #connectSubscription(source: Source & { kind: 'subscription' }): pulumi.Output<string> {
    const { project, name: subscription } = splitName(source.subscription);
    const member = this.#agentOf(project);
    this.#allowPublishing(`pubsub-of-${project}-publishes`, member);
    const grant = `${slugOf(source.subscription)}-gives-up`;
    const args = { project, subscription, role: 'roles/pubsub.subscriber', member };
    // Kept when it is removed: another deployment may have the same source, and with it the same grant.
    const opts = { parent: this, retainOnDelete: true };
    this.#once(grant, () => new pubsub.SubscriptionIAMMember(`${this.prefix}-${grant}`, args, opts));
    return pulumi.interpolate`gcloud pubsub subscriptions update ${subscription} --project=${project} --dead-letter-topic=${this.#args.topic.id} --max-delivery-attempts=${source.maxDeliveryAttempts}`;
  }

  #allowPublishing(grant: string, member: pulumi.Input<string>): void {
    const { topic, settings } = this.#args;
    const args = { project: settings.project, topic: topic.name, role: 'roles/pubsub.publisher', member };
    this.#once(grant, () => this.make(pubsub.TopicIAMMember, grant, args));
  }

  #agentOf(project: string): pulumi.Output<string> {
    const known = this.#agents.get(project);
    if (known) return known;
    const args = { project, service: 'pubsub.googleapis.com' };
    const agent = this.make(projects.ServiceIdentity, `pubsub-of-${project}`, args).member;
    this.#agents.set(project, agent);
    return agent;
  }

  #once(grant: string, make: () => void): void {
    if (this.#granted.has(grant)) return;
    this.#granted.add(grant);
    make();
  }
}
