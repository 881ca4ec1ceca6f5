import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as storage from '@pulumi/gcp/storage/index.js';
import * as pulumi from '@pulumi/pulumi';
import * as v from 'valibot';
import type { CloudFunction } from './cloud-function.ts';
import type { CallersArgs } from './functions.ts';
import { orOutput } from './setting-schemas.ts';
import type { Settings } from './settings.ts';
import { splitName } from './source-settings.ts';

const PubSubTargetSchema = v.object({ kind: v.literal('pubsub'), topic: orOutput(v.string()) });
const PubSubRouteSchema = v.object({ target: PubSubTargetSchema });

/** Lists the topic of each route that has one: the function retry may publish to it. */
export function listTopics({ routes }: Settings): readonly pulumi.Input<string>[] {
  return routes.flatMap((route) => (v.is(PubSubRouteSchema, route) ? [route.target.topic] : []));
}

type Topic = Pick<pubsub.TopicIAMMemberArgs, 'project' | 'topic'>;

/** Permissions of functions to publish to topics, and of senders that sign. */
export function grantPublishing({ settings, make, functions, topics }: CallersArgs): void {
  const { project, captureSecrets } = settings;
  const publish = ({ plan, identity }: CloudFunction, what: string, topic: Topic) => {
    const grant = { ...topic, role: 'roles/pubsub.publisher', member: identity.member };
    make(pubsub.TopicIAMMember, `${plan.name}-${what}`, grant, identity.grantOptions);
  };
  for (const caller of functions.all.filter(({ plan }) => plan.variables.includes('CONTINUE_TOPIC'))) {
    publish(caller, 'continues', { project, topic: topics.continue.name });
  }
  for (const [index, topic] of [...new Set(listTopics(settings))].entries()) {
    const { project: owner, name: topicName } = pulumi.output(topic).apply(splitName);
    const what = typeof topic === 'string' ? topic : `to-topic-${index}`;
    publish(functions.get('retry'), `delivers-${what}`, { project: owner, topic: topicName });
  }
  if (captureSecrets) functions.get('signed-capture').allow('allusers-sign', 'allUsers');
}

/** Allows maintain to add and read exports. No identity of the deployment can replace or delete one. */
export function allowExports({ make, functions, exportBucket: bucket }: CallersArgs): void {
  if (!bucket) return;
  const { member, grantOptions } = functions.get('maintain').identity;
  for (const [what, role] of Object.entries({ writes: 'objectCreator', reads: 'objectViewer' })) {
    const grant = { bucket, role: `roles/storage.${role}`, member };
    make(storage.BucketIAMMember, `maintain-${what}-exports`, grant, grantOptions);
  }
}
