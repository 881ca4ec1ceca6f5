import * as iap from '@pulumi/gcp/iap/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { Component } from './component.ts';
import type { CallersArgs } from './functions.ts';
import { allowExports, grantPublishing } from './grants.ts';
import { isGroup, slugOf } from './members.ts';
import { PushSubscription } from './push-subscription.ts';
import { makeSchedules } from './schedules.ts';
import { Sources } from './sources.ts';

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
