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

/** Everything that calls the functions: Pub/Sub, the clock, people, and the programs that report failures. */
export class Callers extends pulumi.ComponentResource {
  /** Brings failures to capture. */
  readonly capture: PushSubscription;
  /** Brings workers to retry. */
  readonly continue: PushSubscription;
  readonly sources: Sources;

  constructor(name: string, args: CallersArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Callers', name, {}, opts);
    const { settings, functions, topics } = args;
    const { project, name: office, sources } = settings;
    const inside = { parent: this };
    const pubsubAgent = new projects.ServiceIdentity(
      `${office}-pubsub`,
      { project, service: 'pubsub.googleapis.com' },
      inside,
    ).member;
    const capture = functions.get('capture');
    this.capture = new PushSubscription(
      `${office}-capture`,
      { project, topic: topics.capture.id, target: capture, pubsubAgent, ackDeadlineSeconds: 60 },
      inside,
    );
    this.continue = new PushSubscription(
      `${office}-continue`,
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
      `${office}-sources`,
      { project, topic: topics.capture, capture, pubsubAgent, sources },
      inside,
    );
    new Schedules(`${office}-schedules`, { settings, functions }, inside);
    new Grants(`${office}-grants`, { settings, functions, continueTopic: topics.continue }, inside);
    this.registerOutputs({});
  }
}
