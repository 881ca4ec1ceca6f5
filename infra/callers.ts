import * as iap from '@pulumi/gcp/iap/index.js';
import * as projects from '@pulumi/gcp/projects/index.js';
import { operatorPath } from '../shared/config/console.ts';
import type { CallersArgs } from './functions.ts';
import { allowExports, grantPublishing } from './grants.ts';
import { isGroup } from './members.ts';
import { makePushSubscription } from './push-subscription.ts';
import { makeSchedules } from './schedules.ts';
import { splitName } from './source-settings.ts';
import { connectSources } from './sources.ts';

/** Makes all callers of the functions: push subscriptions, schedules, users, and sources of failures. */
export function makeCallers(args: CallersArgs) {
  const { settings, make, functions, topics } = args;
  const agent = { project: settings.project, service: 'pubsub.googleapis.com' };
  const { member: pubsubAgent } = make(projects.ServiceIdentity, 'pubsub', agent);
  const push = (what: 'capture' | 'continue', target: 'capture' | 'retry', ackDeadlineSeconds: number) => {
    const pushed = { topic: topics[what].id, target: functions.get(target), ackDeadlineSeconds };
    return makePushSubscription(args, what, { pubsubAgent, ...pushed });
  };
  /** Pushes published failures to capture. */
  const capture = push('capture', 'capture', 60);
  /** Pushes requests for workers to retry. */
  const continued = push('continue', 'retry', 600);
  const sources = connectSources({ ...args, pubsubAgent, push: capture });
  makeSchedules(args);
  allowUsers(args);
  grantPublishing(args);
  allowExports(args);
  return { capture, pushes: [capture, continued], sources };
}

/** Permissions of users to open the console and to call the API; both stay closed to everyone else. */
function allowUsers(args: CallersArgs): void {
  const { settings, functions } = args;
  const { operators, viewers } = settings;
  // A function that believes tokens which Cloud Run has verified reads whether its policy keeps it private.
  for (const fn of functions.all.filter(({ plan }) => plan.variables.includes('CLOUD_RUN_IAM'))) {
    fn.allow(`${fn.plan.name}-reads-its-policy`, fn.identity.member, 'roles/run.viewer');
  }
  for (const user of new Set(operators)) functions.get('replay').allow(`${user}-opens-replay`, user);
  for (const user of new Set([...operators, ...viewers])) {
    if (args.iap) allowByIap(user, args);
    else allowByProxy(user, args);
  }
  if (args.iap) functions.get('console').allow('iap-calls-console', args.iap.agent);
}

function allowByProxy(user: string, { functions }: CallersArgs): void {
  const target = functions.get('console');
  target.allow(`${user}-opens-console`, user);
  // `gcloud run services proxy` reads the service before it calls it, which the invoker may not.
  target.allow(`${user}-finds-console`, user, 'roles/run.viewer');
}

function allowByIap(member: string, { settings, make, functions }: CallersArgs): void {
  const { project, region, operators } = settings;
  // The console does not know who is in a group: it serves operators below a path of their own.
  const isViewer = operators.some(isGroup) && !operators.includes(member);
  const args = {
    project,
    location: region,
    // Made of the function: its service must be there.
    cloudRunServiceName: functions.get('console').service.apply((each) => splitName(each).name),
    role: 'roles/iap.httpsResourceAccessor',
    member,
    ...(isViewer && { condition: viewersOnly }),
  };
  make(iap.WebCloudRunServiceIamMember, `${member}-opens-console`, args);
}

const viewersOnly = {
  title: 'not as an operator',
  expression: `!request.path.startsWith("/${operatorPath}")`,
};
