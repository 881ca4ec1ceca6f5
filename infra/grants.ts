import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Functions } from './functions.ts';
import { slugOf } from './members.ts';
import { findTopics } from './route-topics.ts';
import type { Settings } from './settings.ts';
import { splitName } from './source-settings.ts';

export type GrantsArgs = {
  readonly settings: Settings;
  readonly functions: Functions;
  readonly continueTopic: pubsub.Topic;
};

/** Permissions of users to call functions, and of functions to publish to topics. */
export class Grants extends pulumi.ComponentResource {
  constructor(name: string, args: GrantsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Grants', name, {}, opts);
    const { settings, functions, continueTopic } = args;
    const { project, operators, viewers, routes, captureSecrets } = settings;
    const allowUsers = (users: readonly string[], target: 'console' | 'replay') => {
      for (const user of new Set(users)) {
        functions.get(target).allow(`${name}-${slugOf(user)}-opens-${target}`, user);
      }
    };
    allowUsers([...operators, ...viewers], 'console');
    allowUsers(operators, 'replay');
    for (const caller of ['retry', 'replay', 'console'] as const) {
      const { member } = functions.get(caller);
      this.#allowPublishing(`${name}-${caller}-continues`, { project, topic: continueTopic.name, member });
    }
    for (const topic of findTopics(routes)) {
      const { project: owner, name: topicName } = splitName(topic);
      for (const { plan, member } of functions.delivering) {
        this.#allowPublishing(`${name}-${plan.name}-delivers-${slugOf(topic)}`, {
          project: owner,
          topic: topicName,
          member,
        });
      }
    }
    if (captureSecrets) functions.get('signed-capture').allow(`${name}-allusers-sign`, 'allUsers');
    this.registerOutputs({});
  }

  #allowPublishing(name: string, args: Omit<pubsub.TopicIAMMemberArgs, 'role'>): void {
    new pubsub.TopicIAMMember(name, { ...args, role: 'roles/pubsub.publisher' }, { parent: this });
  }
}
