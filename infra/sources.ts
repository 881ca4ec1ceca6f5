import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { CloudFunction } from './cloud-function.ts';
import { slugOf } from './members.ts';
import { type Source, splitName } from './source-settings.ts';

export type SourcesArgs = {
  readonly project: string;
  readonly topic: pubsub.Topic;
  readonly capture: CloudFunction;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Output<string>;
  readonly sources: readonly Source[];
};

/** Grants each source the permissions that it needs, and returns the step that remains at the source. */
export class Sources extends pulumi.ComponentResource {
  /** By source name: a command to run, or the settings of the sending program. */
  readonly nextSteps: Readonly<Record<string, pulumi.Output<string>>>;
  // One grant per member: if two sources shared one, removing either would revoke it for both.
  readonly #granted = new Set<string>();
  readonly #agents = new Map<string, pulumi.Output<string>>();

  constructor(name: string, args: SourcesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Sources', name, {}, opts);
    this.#agents.set(args.project, args.pubsubAgent);
    this.nextSteps = Object.fromEntries(
      args.sources.map((source) => [source.name, this.#connect(name, args, source)]),
    );
    this.registerOutputs({});
  }

  #connect(name: string, args: SourcesArgs, source: Source): pulumi.Output<string> {
    if (source.kind === 'caller') return this.#connectCaller(name, args, source.member);
    if (source.kind === 'publisher') return this.#connectPublisher(name, args, source.member);
    return this.#connectSubscription(name, args, source);
  }

  #connectCaller(name: string, { capture }: SourcesArgs, member: string): pulumi.Output<string> {
    this.#once(`${name}-${slugOf(member)}-calls`, (child) => capture.allow(child, member));
    return pulumi.interpolate`POST failures to ${capture.url} with an identity token for it: gcloud auth print-identity-token --audiences=${capture.url}`;
  }

  #connectPublisher(name: string, args: SourcesArgs, member: string): pulumi.Output<string> {
    const { project, topic } = args;
    this.#allowPublishing(`${name}-${slugOf(member)}-publishes`, args, member);
    return pulumi.interpolate`Publish failures to ${topic.id}; with the Pub/Sub sink connector: cps.project=${project} cps.topic=${topic.name}`;
  }

  /** The Pub/Sub service agent of the subscription's project moves the dead letters. */
  #connectSubscription(
    name: string,
    args: SourcesArgs,
    source: Source & { kind: 'subscription' },
  ): pulumi.Output<string> {
    const { project, name: subscription } = splitName(source.subscription);
    const agent = this.#agentOf(name, project);
    this.#allowPublishing(`${name}-pubsub-of-${project}-publishes`, args, agent);
    this.#once(
      `${name}-${slugOf(source.subscription)}-gives-up`,
      (child) =>
        new pubsub.SubscriptionIAMMember(
          child,
          { project, subscription, role: 'roles/pubsub.subscriber', member: agent },
          { parent: this },
        ),
    );
    return pulumi.interpolate`gcloud pubsub subscriptions update ${subscription} --project=${project} --dead-letter-topic=${args.topic.id} --max-delivery-attempts=${source.maxDeliveryAttempts}`;
  }

  #allowPublishing(child: string, { project, topic }: SourcesArgs, member: pulumi.Input<string>): void {
    const role = 'roles/pubsub.publisher';
    this.#once(
      child,
      (each) =>
        new pubsub.TopicIAMMember(each, { project, topic: topic.name, role, member }, { parent: this }),
    );
  }

  #agentOf(name: string, project: string): pulumi.Output<string> {
    const known = this.#agents.get(project);
    if (known) return known;
    const child = `${name}-pubsub-of-${project}`;
    const agent = new projects.ServiceIdentity(
      child,
      { project, service: 'pubsub.googleapis.com' },
      { parent: this },
    );
    this.#agents.set(project, agent.member);
    return agent.member;
  }

  #once(child: string, make: (child: string) => void): void {
    if (this.#granted.has(child)) return;
    this.#granted.add(child);
    make(child);
  }
}
