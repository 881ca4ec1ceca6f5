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

/** Who may call what, and publish where, beside what each component needs for itself. */
export class Grants extends pulumi.ComponentResource {
  constructor(name: string, args: GrantsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Grants', name, {}, opts);
    const { settings, functions, continueTopic } = args;
    const { project, operators, routes, captureSecrets } = settings;
    for (const operator of new Set(operators)) {
      for (const what of ['console', 'replay'] as const) {
        functions.get(what).allow(`${name}-${slugOf(operator)}-opens-${what}`, operator);
      }
    }
    const retry = functions.get('retry');
    this.#letPublish(`${name}-retry-continues`, { project, topic: continueTopic.name, member: retry.member });
    for (const topic of findTopics(routes)) {
      const { project: owner, name: topicName } = splitName(topic);
      for (const { plan, member } of functions.delivering) {
        this.#letPublish(`${name}-${plan.name}-delivers-${slugOf(topic)}`, {
          project: owner,
          topic: topicName,
          member,
        });
      }
    }
    if (captureSecrets) functions.get('signed-capture').allow(`${name}-everybody-signs`, 'allUsers');
    this.registerOutputs({});
  }

  #letPublish(name: string, args: Omit<pubsub.TopicIAMMemberArgs, 'role'>): void {
    new pubsub.TopicIAMMember(name, { ...args, role: 'roles/pubsub.publisher' }, { parent: this });
  }
}
