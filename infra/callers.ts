import * as iap from '@pulumi/gcp/iap/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import { openComponent } from './component.ts';
import type { CallersArgs } from './functions.ts';
import { allowExports, grantPublishing } from './grants.ts';
import { isGroup } from './members.ts';
import { makePushSubscription } from './push-subscription.ts';
import { makeSchedules } from './schedules.ts';
import { connectSources } from './sources.ts';

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
    if (isTrusting)
      fn.allow(`${name}-${fn.plan.name}-reads-its-policy`, fn.identity.member, 'roles/run.viewer');
  }
  for (const user of new Set(operators)) {
    functions.get('replay').allow(`${name}-${user}-opens-replay`, user);
  }
  for (const user of new Set([...operators, ...viewers])) {
    if (args.iap) allowByIap(user, args, opts);
    else allowByProxy(user, args);
  }
  if (args.iap) functions.get('console').allow(`${name}-iap-calls-console`, args.iap.agent);
}

function allowByProxy(user: string, { settings: { name }, functions }: CallersArgs): void {
  const target = functions.get('console');
  target.allow(`${name}-${user}-opens-console`, user);
  // `gcloud run services proxy` reads the service before it calls it, which the invoker may not.
  target.allow(`${name}-${user}-finds-console`, user, 'roles/run.viewer');
}

function allowByIap(member: string, { settings }: CallersArgs, opts: pulumi.ComponentResourceOptions): void {
  const { project, region, name, operators } = settings;
  // The console does not know who is in a group: it serves operators below a path of their own.
  const isViewer = operators.some(isGroup) && !operators.includes(member);
  const args = {
    project,
    location: region,
    cloudRunServiceName: `${name}-console`,
    role: 'roles/iap.httpsResourceAccessor',
    member,
    ...(isViewer && { condition: viewersOnly }),
  };
  new iap.WebCloudRunServiceIamMember(`${name}-${member}-opens-console`, args, opts);
}

const viewersOnly = {
  title: 'not as an operator',
  expression: `!request.path.startsWith("/${operatorPath}")`,
};
