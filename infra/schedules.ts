import * as cloudscheduler from '@pulumi/gcp/cloudscheduler/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type JobSchedule, jobs } from '../shared/jobs/jobs.ts';
import { openAccount } from './account.ts';
import type { CloudFunction } from './cloud-function.ts';
import type { Deployment } from './deployment.ts';
import type { CallersArgs } from './functions.ts';
import { tickSeconds } from './stack-settings.ts';

type Schedules = Readonly<Record<string, JobSchedule & { readonly paused?: boolean }>>;

/** Calls functions on schedules, each function with a service account that may call only it. */
export function makeSchedules(args: CallersArgs): void {
  const { schedule: cron, paused } = args.settings;
  const retry = { description: 'Retries due events.', cron, paused, intervalSeconds: tickSeconds };
  callOn(args, { retry }, args.functions.get('retry'));
  callOn(args, jobs, args.functions.get('maintain'));
}

function callOn(deployment: Deployment, schedules: Schedules, target: CloudFunction): void {
  const { project, region, timeZone, name: prefix } = deployment.settings;
  const name = `${target.plan.name}-schedule`;
  const caller = openAccount(deployment, name, `schedule of ${prefix}-${target.plan.name}`);
  const callable = target.allow(`${name}-calls`, caller.member);
  for (const [what, { description, cron, intervalSeconds, paused = false }] of Object.entries(schedules)) {
    const path = what === target.plan.name ? '/' : `/${what}`;
    const job = {
      project,
      region,
      name: `${prefix}-${what}`,
      description,
      schedule: cron,
      timeZone,
      paused,
      // How long Cloud Scheduler waits for an answer; then it retries while the function still runs.
      attemptDeadline: `${Math.min(tickSeconds, intervalSeconds)}s`,
      // Without a retry, a tick that failed to start is repeated only by the next one, hours later.
      retryConfig: { retryCount: 3, minBackoffDuration: '60s', maxBackoffDuration: '600s' },
      httpTarget: {
        httpMethod: 'POST',
        uri: pulumi.interpolate`${target.url}${path}`,
        // The default audience includes the path, which Cloud Run rejects.
        oidcToken: { serviceAccountEmail: caller.email, audience: target.url },
      },
    };
    deployment.make(cloudscheduler.Job, `${what}-job`, job, { dependsOn: callable });
  }
}
