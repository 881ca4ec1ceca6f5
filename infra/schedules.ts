import * as pulumi from '@pulumi/pulumi';
import { tickSeconds } from './function-plan.ts';
import type { Functions } from './functions.ts';
import { Schedule } from './schedule.ts';
import type { Settings } from './settings.ts';

export type SchedulesArgs = { readonly settings: Settings; readonly functions: Functions };

/** What an office does by the clock: retry what is due, tend itself, say how it is. */
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
        description: 'Retries what is due.',
        cron: settings.schedule,
        paused: settings.paused,
        method: 'POST',
        deadlineSeconds: tickSeconds,
        // A tick that could not begin would otherwise be made up for only by the next one, hours later.
        retries: 3,
      },
      { parent: this },
    );
    new Schedule(
      `${settings.name}-maintain`,
      {
        ...common,
        target: maintain,
        description: 'Archives what is closed.',
        cron: '15 2 * * *',
        method: 'POST',
        deadlineSeconds: tickSeconds,
        retries: 3,
      },
      { parent: this },
    );
    new Schedule(
      `${settings.name}-figures`,
      {
        ...common,
        target: maintain,
        description: 'Has the figures logged that alerts and dashboard rest on.',
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
