import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { Component } from './component.ts';
import { allowUsers } from './console-access.ts';
import type { CallersArgs } from './functions.ts';
import { allowExports, grantPublishing } from './grants.ts';
import { PushSubscription } from './push-subscription.ts';
import { makeSchedules } from './schedules.ts';
import { Sources } from './sources.ts';

/** All callers of the functions: push subscriptions, schedules, users, and sources of failures. */
export class Callers extends Component {
  /** Pushes published failures to capture. */
  readonly capture: PushSubscription;
  /** Pushes requests for workers to retry. */
  readonly continue: PushSubscription;
  readonly sources: Sources;

  constructor(name: string, args: CallersArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Callers', name, opts);
    const { settings, functions, topics } = args;
    const { project, name: prefix } = settings;
    const inside = { parent: this };
    const service = 'pubsub.googleapis.com';
    const agent = new projects.ServiceIdentity(`${prefix}-pubsub`, { project, service }, inside);
    const push = (what: 'capture' | 'continue', target: 'capture' | 'retry', ackDeadlineSeconds: number) => {
      const pushed = { topic: topics[what].id, target: functions.get(target), ackDeadlineSeconds };
      const own = { settings, pubsubAgent: agent.member, ...pushed };
      return new PushSubscription(`${prefix}-${what}`, own, inside);
    };
    this.capture = push('capture', 'capture', 60);
    this.continue = push('continue', 'retry', 600);
    const sources = { ...args, pubsubAgent: agent.member, push: this.capture };
    this.sources = new Sources(`${prefix}-sources`, sources, inside);
    makeSchedules(args, inside);
    allowUsers(args, inside);
    grantPublishing(args, inside);
    allowExports(args, inside);
  }
}
