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
    const { project, operators, viewers, routes, captureSecrets } = settings;
    const letIn = (people: readonly string[], what: 'console' | 'replay') => {
      for (const person of new Set(people)) {
        functions.get(what).allow(`${name}-${slugOf(person)}-opens-${what}`, person);
      }
    };
    letIn([...operators, ...viewers], 'console');
    letIn(operators, 'replay');
    for (const caller of ['retry', 'replay', 'console'] as const) {
      const { member } = functions.get(caller);
      this.#letPublish(`${name}-${caller}-continues`, { project, topic: continueTopic.name, member });
    }
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
