import * as iap from '@pulumi/gcp/iap/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { type Make, openComponent } from './component.ts';
import type { CallersArgs } from './functions.ts';
import { allowExports, grantPublishing } from './grants.ts';
import { isGroup, slugOf } from './members.ts';
import { makePushSubscription, type PushSubscription } from './push-subscription.ts';
import { makeSchedules } from './schedules.ts';
import { type Source, splitName } from './source-settings.ts';

/** Makes all callers of the functions: push subscriptions, schedules, users, and sources of failures. */
export function makeCallers(name: string, args: CallersArgs, opts: pulumi.ComponentResourceOptions) {
  const { component, inside } = openComponent('Callers', name, opts);
  const { settings, functions, topics } = args;
  const { project, name: prefix } = settings;
  const service = 'pubsub.googleapis.com';
  const { member: pubsubAgent } = new projects.ServiceIdentity(
    `${prefix}-pubsub`,
    { project, service },
    inside,
  );
  const push = (what: 'capture' | 'continue', target: 'capture' | 'retry', ackDeadlineSeconds: number) => {
    const pushed = { topic: topics[what].id, target: functions.get(target), ackDeadlineSeconds };
    return makePushSubscription(`${prefix}-${what}`, { settings, pubsubAgent, ...pushed }, inside);
  };
  /** Pushes published failures to capture. */
  const capture = push('capture', 'capture', 60);
  /** Pushes requests for workers to retry. */
  const continued = push('continue', 'retry', 600);
  const sources = connectSources(`${prefix}-sources`, { ...args, pubsubAgent, push: capture }, inside);
  makeSchedules(args, inside);
  allowUsers(args, inside);
  grantPublishing(args, inside);
  allowExports(args, inside);
  return { component, capture, pushes: [capture, continued], sources };
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

type SourcesArgs = CallersArgs & {
  /** Pushes messages to capture. */
  readonly push: PushSubscription;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Output<string>;
};

type Sources = SourcesArgs & {
  readonly prefix: string;
  readonly inside: { readonly parent: pulumi.Resource };
  readonly make: Make;
  /** Makes one grant per member: if two sources shared one, removing either would revoke it for both. */
  readonly once: <Made>(name: string, make: () => Made) => Made;
};

/**
 * Grants each source the permissions that it needs. Returns by its name the step that remains there: a
 * command to run, or the settings of the sending program.
 */
function connectSources(
  prefix: string,
  args: SourcesArgs,
  opts: pulumi.ComponentResourceOptions,
): Readonly<Record<string, pulumi.Output<string>>> {
  const made = new Map<string, unknown>();
  const once = <Made>(name: string, make: () => Made): Made => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as Made;
  };
  const sources = { ...args, ...openComponent('Sources', prefix, opts), prefix, once };
  return Object.fromEntries(args.settings.sources.map((each) => [each.name, connectSource(sources, each)]));
}

function connectSource(sources: Sources, source: Source): pulumi.Output<string> {
  const { functions, push, settings, prefix, inside } = sources;
  const topic = sources.topics.capture;
  switch (source.kind) {
    case 'caller': {
      const capture = functions.get('capture');
      const grant = `${prefix}-${slugOfMember(source)}-calls`;
      sources.once(grant, () => capture.allow(grant, source.member));
      return pulumi.interpolate`POST failures to ${capture.url}, with an identity token for this URL.`;
    }
    case 'publisher':
      allowPublishing(sources, slugOfMember(source), source.member);
      return pulumi.interpolate`Publish failures to ${topic.id}; in Kafka Connect: cps.project=${settings.project} cps.topic=${topic.name}`;
    case 'topic':
      // Messages from before are in the subscriptions that the topic had (docs/bring-over.md).
      push.pushTopic(`${prefix}-${source.name}`, source.topic, inside.parent);
      return pulumi.interpolate`Every new message of ${source.topic} is captured.`;
    case 'subscription':
      return connectSubscription(sources, source);
  }
}

/** The Pub/Sub service agent of the subscription's project moves the dead letters. */
function connectSubscription(sources: Sources, source: Source & { kind: 'subscription' }) {
  const { prefix, inside, topics } = sources;
  const { project, name: subscription } = splitName(source.subscription);
  const member = findAgent(sources, project);
  allowPublishing(sources, `pubsub-of-${project}`, member);
  const grant = `${prefix}-${slugOf(source.subscription)}-gives-up`;
  const args = { project, subscription, role: 'roles/pubsub.subscriber', member };
  // Kept when it is removed: another deployment may have the same source, and with it the same grant.
  const opts = { ...inside, retainOnDelete: true };
  sources.once(grant, () => new pubsub.SubscriptionIAMMember(grant, args, opts));
  return pulumi.interpolate`gcloud pubsub subscriptions update ${subscription} --project=${project} --dead-letter-topic=${topics.capture.id} --max-delivery-attempts=${source.maxDeliveryAttempts}`;
}

function allowPublishing(
  { topics, settings, make, once }: Sources,
  who: string,
  member: pulumi.Input<string>,
) {
  const args = {
    project: settings.project,
    topic: topics.capture.name,
    role: 'roles/pubsub.publisher',
    member,
  };
  once(who, () => make(pubsub.TopicIAMMember, `${who}-publishes`, args));
}

function findAgent({ settings, pubsubAgent, make, once }: Sources, project: string): pulumi.Output<string> {
  if (project === settings.project) return pubsubAgent;
  const name = `pubsub-of-${project}`;
  const args = { project, service: 'pubsub.googleapis.com' };
  return once(`${name}-agent`, () => make(projects.ServiceIdentity, name, args)).member;
}

/** Returns a part of a resource name: of a source, if its member is an output. */
function slugOfMember({ name, member }: Extract<Source, { readonly member: unknown }>): string {
  return typeof member === 'string' ? slugOf(member) : name;
}
