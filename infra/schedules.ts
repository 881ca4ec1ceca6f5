import * as cloudscheduler from '@pulumi/gcp/cloudscheduler/index.js';
import * as pulumi from '@pulumi/pulumi';
import { openAccount } from './account.ts';
import type { Functions } from './functions.ts';
import type { Settings } from './settings.ts';
import { tickSeconds } from './stack-settings.ts';

export type SchedulesArgs = { readonly settings: Settings; readonly functions: Functions };

type Schedule = {
  readonly description: string;
  readonly target: 'retry' | 'maintain';
  /** Five fields of cron. */
  readonly cron: string;
  readonly paused?: boolean;
  readonly method?: 'GET';
  readonly path?: string;
  /**
   * Seconds that Cloud Scheduler waits for an answer, at most 1800; then it retries while the function still
   * runs.
   */
  readonly deadlineSeconds?: number;
  readonly retries?: number;
};

/** The schedules of a deployment. */
const listSchedules = ({ schedule, paused }: Settings): Readonly<Record<string, Schedule>> => ({
  retry: { description: 'Retries due events.', target: 'retry', cron: schedule, paused },
  maintain: { description: 'Archives closed events.', target: 'maintain', cron: '15 2 * * *' },
  metrics: {
    description: 'Logs the metrics for alerts and dashboard.',
    target: 'maintain',
    cron: '*/5 * * * *',
    method: 'GET',
    path: '/metrics',
    deadlineSeconds: 60,
    retries: 0,
  },
});

/** Calls functions on schedules, each with a service account that may call only its function. */
export function makeSchedules(args: SchedulesArgs, opts: pulumi.ComponentResourceOptions): void {
  for (const [what, schedule] of Object.entries(listSchedules(args.settings))) {
    makeSchedule(`${args.settings.name}-${what}`, schedule, args, opts);
  }
}

function makeSchedule(
  name: string,
  schedule: Schedule,
  { settings, functions }: SchedulesArgs,
  opts: pulumi.ComponentResourceOptions,
): void {
  const { project, region, timeZone } = settings;
  const { description, cron, method = 'POST', path = '/', paused = false } = schedule;
  // Without a retry, a tick that failed to start is repeated only by the next one, hours later.
  const { deadlineSeconds = tickSeconds, retries: retryCount = 3 } = schedule;
  const target = functions.get(schedule.target);
  const caller = openAccount(settings, `${name}-schedule`, `schedule of ${name}`, opts);
  const callable = target.allow(`${name}-schedule-calls`, caller.member);
  const job = {
    project,
    region,
    name,
    description,
    schedule: cron,
    timeZone,
    paused,
    attemptDeadline: `${deadlineSeconds}s`,
    retryConfig: { retryCount, minBackoffDuration: '60s', maxBackoffDuration: '600s' },
    httpTarget: {
      httpMethod: method,
      uri: pulumi.interpolate`${target.url}${path}`,
      // The default audience includes the path, which Cloud Run rejects.
      oidcToken: { serviceAccountEmail: caller.email, audience: target.url },
    },
  };
  new cloudscheduler.Job(`${name}-job`, job, { ...opts, dependsOn: callable });
}
