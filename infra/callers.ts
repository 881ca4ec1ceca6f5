import * as iap from '@pulumi/gcp/iap/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { Component } from './component.ts';
import type { CallersArgs } from './functions.ts';
import { allowExports, grantPublishing } from './grants.ts';
import { isGroup, slugOf } from './members.ts';
import { PushSubscription } from './push-subscription.ts';
import { makeSchedules } from './schedules.ts';
import { type Source, splitName } from './source-settings.ts';

/** All callers of the functions: push subscriptions, schedules, users, and sources of failures. */
export class Callers extends Component {
  /** Pushes published failures to capture. */
  readonly capture: PushSubscription;
  /** Pushes requests for workers to retry. */
  readonly continue: PushSubscription;
  readonly sources: Sources;

  constructor(name: string, args: CallersArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Callers', name, opts);
    const { settings, functions, topics } = args;
    const { project, name: prefix } = settings;
    const inside = { parent: this };
    const service = 'pubsub.googleapis.com';
    const agent = new projects.ServiceIdentity(`${prefix}-pubsub`, { project, service }, inside);
    const push = (what: 'capture' | 'continue', target: 'capture' | 'retry', ackDeadlineSeconds: number) => {
      const pushed = { topic: topics[what].id, target: functions.get(target), ackDeadlineSeconds };
      const own = { settings, pubsubAgent: agent.member, ...pushed };
      return new PushSubscription(`${prefix}-${what}`, own, inside);
    };
    this.capture = push('capture', 'capture', 60);
    this.continue = push('continue', 'retry', 600);
    const sources = { ...args, pubsubAgent: agent.member, push: this.capture };
    this.sources = new Sources(`${prefix}-sources`, sources, inside);
    makeSchedules(args, inside);
    allowUsers(args, inside);
    grantPublishing(args, inside);
    allowExports(args, inside);
  }
}

/** Permissions of users to open the console and to call the API; both stay closed to everyone else. */
function allowUsers(args: CallersArgs, opts: pulumi.ComponentResourceOptions): void {
  const { settings, functions } = args;
  const { name, operators, viewers } = settings;
  for (const fn of functions.all) {
    // A function that believes tokens which Cloud Run has verified reads whether its policy keeps it private.
    const isTrusting = fn.plan.variables.includes('CLOUD_RUN_IAM');
    if (isTrusting) fn.allow(`${name}-${fn.plan.name}-reads-its-policy`, fn.member, 'roles/run.viewer');
  }
  for (const user of new Set(operators)) {
    functions.get('replay').allow(`${name}-${slugOf(user)}-opens-replay`, user);
  }
  for (const user of new Set([...operators, ...viewers])) {
    if (args.iap) allowByIap(user, args, opts);
    else allowByProxy(user, args);
  }
  if (args.iap) functions.get('console').allow(`${name}-iap-calls-console`, args.iap.agent);
}

function allowByProxy(user: string, { settings: { name }, functions }: CallersArgs): void {
  const target = functions.get('console');
  target.allow(`${name}-${slugOf(user)}-opens-console`, user);
  // `gcloud run services proxy` reads the service before it calls it, which the invoker may not.
  target.allow(`${name}-${slugOf(user)}-finds-console`, user, 'roles/run.viewer');
}

function allowByIap(member: string, { settings }: CallersArgs, opts: pulumi.ComponentResourceOptions): void {
  const { project, region, name, operators } = settings;
  // The console is not told who is in a group: it serves operators below a path of their own.
  const isViewer = operators.some(isGroup) && !operators.includes(member);
  const args = {
    project,
    location: region,
    cloudRunServiceName: `${name}-console`,
    role: 'roles/iap.httpsResourceAccessor',
    member,
    ...(isViewer && { condition: viewersOnly }),
  };
  new iap.WebCloudRunServiceIamMember(`${name}-${slugOf(member)}-opens-console`, args, opts);
}

const viewersOnly = {
  title: 'not as an operator',
  expression: `!request.path.startsWith("/${operatorPath}")`,
};

export type SourcesArgs = CallersArgs & {
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
  readonly #made = new Map<string, unknown>();

  constructor(name: string, args: SourcesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Sources', name, opts);
    this.#args = args;
    const { sources } = args.settings;
    this.nextSteps = Object.fromEntries(sources.map((source) => [source.name, this.#connect(source)]));
  }

  #connect(source: Source): pulumi.Output<string> {
    const { functions, push, settings } = this.#args;
    const topic = this.#args.topics.capture;
    switch (source.kind) {
      case 'caller': {
        const capture = functions.get('capture');
        const grant = `${this.prefix}-${slugOfMember(source)}-calls`;
        this.#once(grant, () => capture.allow(grant, source.member));
        return pulumi.interpolate`POST failures to ${capture.url}, with an identity token for this URL.`;
      }
      case 'publisher':
        this.#allowPublishing(slugOfMember(source), source.member);
        return pulumi.interpolate`Publish failures to ${topic.id}; in Kafka Connect: cps.project=${settings.project} cps.topic=${topic.name}`;
      case 'topic':
        // Messages from before are in the subscriptions that the topic had (docs/bring-over.md).
        push.pushTopic(`${this.prefix}-${source.name}`, source.topic, this);
        return pulumi.interpolate`Every new message of ${source.topic} is captured.`;
      case 'subscription':
        return this.#connectSubscription(source);
    }
  }

  /** The Pub/Sub service agent of the subscription's project moves the dead letters. */
  #connectSubscription(source: Source & { kind: 'subscription' }): pulumi.Output<string> {
    const { project, name: subscription } = splitName(source.subscription);
    const member = this.#agentOf(project);
    this.#allowPublishing(`pubsub-of-${project}`, member);
    const grant = `${this.prefix}-${slugOf(source.subscription)}-gives-up`;
    const args = { project, subscription, role: 'roles/pubsub.subscriber', member };
    // Kept when it is removed: another deployment may have the same source, and with it the same grant.
    const opts = { parent: this, retainOnDelete: true };
    this.#once(grant, () => new pubsub.SubscriptionIAMMember(grant, args, opts));
    return pulumi.interpolate`gcloud pubsub subscriptions update ${subscription} --project=${project} --dead-letter-topic=${this.#args.topics.capture.id} --max-delivery-attempts=${source.maxDeliveryAttempts}`;
  }

  #allowPublishing(who: string, member: pulumi.Input<string>): void {
    const { topics, settings } = this.#args;
    const topic = topics.capture.name;
    const args = { project: settings.project, topic, role: 'roles/pubsub.publisher', member };
    this.#once(who, () => this.make(pubsub.TopicIAMMember, `${who}-publishes`, args));
  }

  #agentOf(project: string): pulumi.Output<string> {
    if (project === this.#args.settings.project) return this.#args.pubsubAgent;
    const args = { project, service: 'pubsub.googleapis.com' };
    const name = `pubsub-of-${project}`;
    return this.#once(`${name}-agent`, () => this.make(projects.ServiceIdentity, name, args)).member;
  }

  #once<Made>(name: string, make: () => Made): Made {
    if (!this.#made.has(name)) this.#made.set(name, make());
    return this.#made.get(name) as Made;
  }
}

/** Returns a part of a resource name: of a source, if its member is an output. */
function slugOfMember({ name, member }: Extract<Source, { readonly member: unknown }>): string {
  return typeof member === 'string' ? slugOf(member) : name;
}
