import * as pulumi from '@pulumi/pulumi';

import type { Functions } from './functions.ts';
import { Schedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import { tickSeconds } from './tick-seconds.ts';

export type SchedulesArgs = { readonly settings: Settings; readonly functions: Functions };

/** The schedules of a deployment: retry, maintenance and metrics. */
export class Schedules extends pulumi.ComponentResource {
  constructor(name: string, { settings, functions }: SchedulesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Schedules', name, {}, opts);
    const { project, region, timeZone } = settings;
    const common = { project, region, timeZone, paused: false };
    const retry = functions.get('retry');
    const maintain = functions.get('maintain');
    new Schedule(
      `${settings.name}-retry`,
      {
        ...common,
        target: retry,
        description: 'Retries due events.',
        cron: settings.schedule,
        paused: settings.paused,
        method: 'POST',
        deadlineSeconds: tickSeconds,
        // Without a retry, a tick that failed to start is repeated only by the next one, hours later.
        retries: 3,
      },
      { parent: this },
    );
    new Schedule(
      `${settings.name}-maintain`,
      {
        ...common,
        target: maintain,
        description: 'Archives closed events.',
        cron: '15 2 * * *',
        method: 'POST',
        deadlineSeconds: tickSeconds,
        retries: 3,
      },
      { parent: this },
    );
    new Schedule(
      `${settings.name}-metrics`,
      {
        ...common,
        target: maintain,
        description: 'Logs the metrics for alerts and dashboard.',
        cron: '*/5 * * * *',
        method: 'GET',
        path: '/metrics',
        deadlineSeconds: 60,
        retries: 0,
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
