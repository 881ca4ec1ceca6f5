import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type Make, openComponent } from './component.ts';
import type { CallersArgs } from './functions.ts';
import type { PushSubscription } from './push-subscription.ts';
import { type Source, splitName } from './source-settings.ts';

type SourcesArgs = CallersArgs & {
  /** Pushes messages to capture. */
  readonly push: PushSubscription;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Output<string>;
};

type Granting = {
  readonly make: Make;
  /** Allows a member to publish to the capture topic; `who` is a part of the name of the grant. */
  readonly publish: (who: string, member: pulumi.Input<string>) => void;
};

/**
 * Grants each source the permissions that it needs. Returns by its name the step that remains there: a
 * command to run, or the settings of the sending program.
 */
export function connectSources(prefix: string, args: SourcesArgs, opts: pulumi.ComponentResourceOptions) {
  const { component, make } = openComponent('Sources', prefix, opts);
  const { settings, functions, push, topics } = args;
  const { sources, project } = settings;
  const publish: Granting['publish'] = (who, member) => {
    const grant = { project, topic: topics.capture.name, role: 'roles/pubsub.publisher', member };
    make(pubsub.TopicIAMMember, `${who}-publishes`, grant);
  };
  for (const [who, member] of listMembers(sources, 'publisher')) publish(who, member);
  for (const [who, member] of listMembers(sources, 'caller')) {
    functions.get('capture').allow(`${prefix}-${who}-calls`, member);
  }
  connectSubscriptions(args, { publish, make });
  for (const source of sources) {
    // Messages from before are in the subscriptions that the topic had (docs/bring-over.md).
    if (source.kind === 'topic') push.pushTopic(`${prefix}-${source.name}`, source.topic, component);
  }
  return Object.fromEntries(sources.map((source) => [source.name, describeStep(source, args)]));
}

/** The members of the sources of a kind by a name: two sources of one member share a grant. */
function listMembers(sources: readonly Source[], wanted: 'publisher' | 'caller') {
  return new Map(
    sources.flatMap((each) => {
      if (each.kind !== wanted) return [];
      return [[typeof each.member === 'string' ? each.member : each.name, each.member]];
    }),
  );
}

/** Allows the Pub/Sub service agent of each project with a subscription to move its dead letters. */
function connectSubscriptions({ settings, pubsubAgent }: SourcesArgs, { publish, make }: Granting): void {
  const subscriptions = settings.sources
    .filter((each) => each.kind === 'subscription')
    .map(({ name: source, subscription }) => ({ source, ...splitName(subscription) }));
  for (const [project, owned] of Map.groupBy(subscriptions, (each) => each.project)) {
    const agent = { project, service: 'pubsub.googleapis.com' };
    const isOwn = project === settings.project;
    const member = isOwn ? pubsubAgent : make(projects.ServiceIdentity, `pubsub-of-${project}`, agent).member;
    publish(`pubsub-of-${project}`, member);
    for (const { source, name: subscription } of owned) {
      const grant = { project, subscription, role: 'roles/pubsub.subscriber', member };
      // Kept when it is removed: another deployment may have the same source, and with it the same grant.
      make(pubsub.SubscriptionIAMMember, `${source}-gives-up`, grant, { retainOnDelete: true });
    }
  }
}

function describeStep(source: Source, { settings, functions, topics }: SourcesArgs): pulumi.Output<string> {
  const topic = topics.capture;
  switch (source.kind) {
    case 'caller': {
      const { url } = functions.get('capture');
      return pulumi.interpolate`POST failures to ${url}, with an identity token for this URL.`;
    }
    case 'publisher':
      return pulumi.interpolate`Publish failures to ${topic.id}; in Kafka Connect: cps.project=${settings.project} cps.topic=${topic.name}`;
    case 'topic':
      return pulumi.interpolate`Every new message of ${source.topic} is captured.`;
    case 'subscription': {
      const { project, name } = splitName(source.subscription);
      return pulumi.interpolate`gcloud pubsub subscriptions update ${name} --project=${project} --dead-letter-topic=${topic.id} --max-delivery-attempts=${source.maxDeliveryAttempts}`;
    }
  }
}
