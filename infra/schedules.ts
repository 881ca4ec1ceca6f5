import type * as pulumi from '@pulumi/pulumi';
import type { Functions } from './functions.ts';
import { Schedule, type ScheduleArgs } from './schedule.ts';
import type { Settings } from './settings.ts';
import { tickSeconds } from './variable-settings.ts';

export type SchedulesArgs = { readonly settings: Settings; readonly functions: Functions };

/** Creates the schedules of a deployment: retry, maintenance and metrics. */
export function makeSchedules(
  { settings, functions }: SchedulesArgs,
  opts: pulumi.ComponentResourceOptions,
): void {
  const { project, region, timeZone, schedule, paused } = settings;
  // Without a retry, a tick that failed to start is repeated only by the next one, hours later.
  const job = {
    project,
    region,
    timeZone,
    method: 'POST',
    deadlineSeconds: tickSeconds,
    retries: 3,
  } as const;
  const schedules: Readonly<Record<string, ScheduleArgs>> = {
    retry: {
      ...job,
      target: functions.get('retry'),
      description: 'Retries due events.',
      cron: schedule,
      paused,
    },
    maintain: {
      ...job,
      target: functions.get('maintain'),
      description: 'Archives closed events.',
      cron: '15 2 * * *',
      paused: false,
    },
    metrics: {
      ...job,
      target: functions.get('maintain'),
      description: 'Logs the metrics for alerts and dashboard.',
      cron: '*/5 * * * *',
      paused: false,
      method: 'GET',
      path: '/metrics',
      deadlineSeconds: 60,
      retries: 0,
    },
  };
  for (const [name, args] of Object.entries(schedules)) new Schedule(`${settings.name}-${name}`, args, opts);
}
