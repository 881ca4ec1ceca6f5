import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import type * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import { Component } from './component.ts';
import type { Functions } from './functions.ts';
import { slugOf } from './members.ts';
import type { Settings } from './settings.ts';
import { splitName } from './source-settings.ts';

export type GrantsArgs = {
  readonly settings: Settings;
  readonly functions: Functions;
  readonly continueTopic: pubsub.Topic;
};

const PubSubRouteSchema = v.object({ target: v.object({ kind: v.literal('pubsub'), topic: v.string() }) });

/** Permissions of functions to publish to topics, and of senders that sign. */
export class Grants extends Component {
  constructor(name: string, args: GrantsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Grants', name, opts);
    const { settings, functions, continueTopic } = args;
    const { project, routes, captureSecrets } = settings;
    const role = 'roles/pubsub.publisher';
    for (const caller of ['retry', 'replay', 'console', 'maintain'] as const) {
      const { member } = functions.get(caller);
      const continues = { project, topic: continueTopic.name, role, member };
      this.make(pubsub.TopicIAMMember, `${caller}-continues`, continues);
    }
    const topics = routes.flatMap((route) => (v.is(PubSubRouteSchema, route) ? [route.target.topic] : []));
    for (const topic of new Set(topics)) {
      const { project: owner, name: topicName } = splitName(topic);
      for (const { plan, member } of functions.all.filter((each) => each.plan.isDelivering)) {
        const delivers = { project: owner, topic: topicName, role, member };
        this.make(pubsub.TopicIAMMember, `${plan.name}-delivers-${slugOf(topic)}`, delivers);
      }
    }
    if (captureSecrets) functions.get('signed-capture').allow(`${name}-allusers-sign`, 'allUsers');
  }
}
