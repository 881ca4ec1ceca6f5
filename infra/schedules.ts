import * as cloudscheduler from '@pulumi/gcp/cloudscheduler/index.js';
import * as pulumi from '@pulumi/pulumi';
import { jobNames, jobs } from '../shared/jobs/jobs.ts';
import { openAccount } from './account.ts';
import type { CloudFunction } from './cloud-function.ts';
import type { Functions } from './functions.ts';
import type { Settings } from './settings.ts';
import { tickSeconds } from './stack-settings.ts';

export type SchedulesArgs = { readonly settings: Settings; readonly functions: Functions };

type Schedule = {
  readonly name: string;
  readonly description: string;
  /** Five fields of cron. */
  readonly cron: string;
  readonly path: string;
  readonly paused: boolean;
  /** Seconds that Cloud Scheduler waits for an answer; then it retries while the function still runs. */
  readonly deadlineSeconds: number;
};

/** Calls functions on schedules, each function with a service account that may call only it. */
export function makeSchedules(
  { settings, functions }: SchedulesArgs,
  opts: pulumi.ComponentResourceOptions,
): void {
  const { schedule: cron, paused } = settings;
  const ticks = { name: 'retry', description: 'Retries due events.', cron, path: '/', paused };
  callOn([{ ...ticks, deadlineSeconds: tickSeconds }], functions.get('retry'), settings, opts);
  const schedules = jobNames.map((name) => ({
    name,
    ...jobs[name],
    path: `/${name}`,
    paused: false,
    deadlineSeconds: Math.min(tickSeconds, jobs[name].intervalSeconds),
  }));
  callOn(schedules, functions.get('maintain'), settings, opts);
}

function callOn(
  schedules: readonly Schedule[],
  target: CloudFunction,
  settings: Settings,
  opts: pulumi.ComponentResourceOptions,
): void {
  const { project, region, timeZone, name: prefix } = settings;
  const name = `${prefix}-${target.plan.name}-schedule`;
  const caller = openAccount(settings, name, `schedule of ${prefix}-${target.plan.name}`, opts);
  const callable = target.allow(`${name}-calls`, caller.member);
  for (const { name: what, description, cron, path, paused, deadlineSeconds } of schedules) {
    const job = {
      project,
      region,
      name: `${prefix}-${what}`,
      description,
      schedule: cron,
      timeZone,
      paused,
      attemptDeadline: `${deadlineSeconds}s`,
      // Without a retry, a tick that failed to start is repeated only by the next one, hours later.
      retryConfig: { retryCount: 3, minBackoffDuration: '60s', maxBackoffDuration: '600s' },
      httpTarget: {
        httpMethod: 'POST',
        uri: pulumi.interpolate`${target.url}${path}`,
        // The default audience includes the path, which Cloud Run rejects.
        oidcToken: { serviceAccountEmail: caller.email, audience: target.url },
      },
    };
    new cloudscheduler.Job(`${prefix}-${what}-job`, job, { ...opts, dependsOn: callable });
  }
}
