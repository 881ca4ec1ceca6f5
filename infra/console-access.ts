import * as iap from '@pulumi/gcp/iap/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { operatorPath } from '../shared/config/console.ts';
import type { CallersArgs } from './functions.ts';
import { isGroup, slugOf } from './members.ts';

/** Permissions of users to open the console and to call the API; both stay closed to everyone else. */
export function allowUsers(args: CallersArgs, opts: pulumi.ComponentResourceOptions): void {
  const { settings, functions } = args;
  const { name, operators, viewers } = settings;
  for (const fn of functions.all) {
    // A function that believes tokens which Cloud Run has verified, while its IAM policy keeps it private,
    // reads that policy.
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
