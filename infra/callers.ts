import * as projects from '@pulumi/gcp/projects/index.js';
import type * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Functions } from './functions.ts';
import { Grants } from './grants.ts';
import { PushSubscription } from './push-subscription.ts';
import { Schedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { Sources } from './sources.ts';

export type CallersArgs = {
  readonly settings: Settings;
  readonly functions: Functions;
  readonly topics: { readonly capture: pubsub.Topic; readonly continue: pubsub.Topic };
};

/** All callers of the functions: push subscriptions, schedules, users, and sources of failures. */
export class Callers extends pulumi.ComponentResource {
  /** Pushes published failures to capture. */
  readonly capture: PushSubscription;
  /** Pushes requests for workers to retry. */
  readonly continue: PushSubscription;
  readonly sources: Sources;

  constructor(name: string, args: CallersArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Callers', name, {}, opts);
    const { settings, functions, topics } = args;
    const { project, name: prefix, sources } = settings;
    const inside = { parent: this };
    const pubsubAgent = new projects.ServiceIdentity(
      `${prefix}-pubsub`,
      { project, service: 'pubsub.googleapis.com' },
      inside,
    ).member;
    const capture = functions.get('capture');
    this.capture = new PushSubscription(
      `${prefix}-capture`,
      { project, topic: topics.capture.id, target: capture, pubsubAgent, ackDeadlineSeconds: 60 },
      inside,
    );
    this.continue = new PushSubscription(
      `${prefix}-continue`,
      {
        project,
        topic: topics.continue.id,
        target: functions.get('retry'),
        pubsubAgent,
        ackDeadlineSeconds: 600,
      },
      inside,
    );
    this.sources = new Sources(
      `${prefix}-sources`,
      { project, topic: topics.capture, capture, pubsubAgent, sources },
      inside,
    );
    new Schedules(`${prefix}-schedules`, { settings, functions }, inside);
    new Grants(`${prefix}-grants`, { settings, functions, continueTopic: topics.continue }, inside);
    this.registerOutputs({});
  }
}
