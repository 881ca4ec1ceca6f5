import * as cloudscheduler from '@pulumi/gcp/cloudscheduler/index.js';
import * as serviceaccount from '@pulumi/gcp/serviceaccount/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { CloudFunction } from './cloud-function.ts';
import { Component } from './component.ts';

export type ScheduleArgs = {
  readonly project: string;
  readonly region: string;
  readonly target: CloudFunction;
  readonly description: string;
  /** Five fields of cron, in `timeZone`. */
  readonly cron: string;
  readonly timeZone: string;
  readonly paused: boolean;
  readonly method: 'GET' | 'POST';
  readonly path?: string;
  /**
   * Seconds that Cloud Scheduler waits for an answer, at most 1800; then it retries while the function still
   * runs.
   */
  readonly deadlineSeconds: number;
  readonly retries: number;
};

/** Calls a function on a schedule, with a service account that may call only this function. */
export class Schedule extends Component {
  constructor(name: string, args: ScheduleArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Schedule', name, opts);
    const { project, region, target, description, timeZone, paused } = args;
    const caller = this.make(serviceaccount.Account, 'schedule-account', {
      project,
      accountId: `${name}-schedule`,
      displayName: `Dead Letter Office: schedule of ${name}`,
    });
    const callable = target.allow(`${name}-schedule-calls`, caller.member);
    new cloudscheduler.Job(
      `${name}-job`,
      {
        project,
        region,
        name,
        description,
        schedule: args.cron,
        timeZone,
        paused,
        attemptDeadline: `${args.deadlineSeconds}s`,
        retryConfig: { retryCount: args.retries, minBackoffDuration: '60s', maxBackoffDuration: '600s' },
        httpTarget: {
          httpMethod: args.method,
          uri: pulumi.interpolate`${target.url}${args.path ?? '/'}`,
          // The default audience includes the path, which Cloud Run rejects.
          oidcToken: { serviceAccountEmail: caller.email, audience: target.url },
        },
      },
      { parent: this, dependsOn: callable },
    );
  }
}
