import * as projects from '@pulumi/gcp/projects/index.js';
import * as pubsub from '@pulumi/gcp/pubsub/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { CallersArgs } from './functions.ts';
import type { PushSubscription } from './push-subscription.ts';
import { type Source, splitName } from './source-settings.ts';

type SourcesArgs = CallersArgs & {
  /** Pushes messages to capture. */
  readonly push: PushSubscription;
  /** IAM member of the Pub/Sub service agent of this project. */
  readonly pubsubAgent: pulumi.Output<string>;
};

/**
 * Grants each source the permissions that it needs. Returns by its name the step that remains there: a
 * command to run, or the settings of the sending program.
 */
export function connectSources(args: SourcesArgs) {
  const { settings, make, functions, push, topics } = args;
  const { sources, project } = settings;
  const publishers = [...listMembers(sources, 'publisher'), ...connectSubscriptions(args)];
  for (const [who, member] of publishers) {
    const grant = { project, topic: topics.capture.name, role: 'roles/pubsub.publisher', member };
    make(pubsub.TopicIAMMember, `sources-${who}-publishes`, grant);
  }
  for (const [who, member] of listMembers(sources, 'caller')) {
    functions.get('capture').allow(`sources-${who}-calls`, member);
  }
  for (const source of sources) {
    // Messages from before are in the subscriptions that the topic had (docs/bring-over.md).
    if (source.kind === 'topic') push.pushTopic(`sources-${source.name}`, source.topic);
  }
  return Object.fromEntries(sources.map((source) => [source.name, describeStep(source, args)]));
}

/** The members of the sources of a kind by a name: two sources of one member share a grant. */
function listMembers(sources: readonly Source[], wanted: 'publisher' | 'caller') {
  return new Map(
    sources.flatMap((each) => {
      if (each.kind !== wanted || !each.member) return [];
      return [[typeof each.member === 'string' ? each.member : each.name, each.member]];
    }),
  );
}

/**
 * Allows the Pub/Sub service agent of each project with a subscription to take its dead letters. Returns these
 * agents by a name: they publish them.
 */
function connectSubscriptions({ settings, make, pubsubAgent }: SourcesArgs) {
  const subscriptions = settings.sources
    .filter((each) => each.kind === 'subscription')
    .map(({ name: source, subscription }) => ({ source, ...splitName(subscription) }));
  return [...Map.groupBy(subscriptions, (each) => each.project)].map(([project, owned]) => {
    const agent = { project, service: 'pubsub.googleapis.com' };
    const isOwn = project === settings.project;
    const identity = `sources-pubsub-of-${project}`;
    const member = isOwn ? pubsubAgent : make(projects.ServiceIdentity, identity, agent).member;
    for (const { source, name: subscription } of owned) {
      const grant = { project, subscription, role: 'roles/pubsub.subscriber', member };
      // Kept when it is removed: another deployment may have the same source, and with it the same grant.
      make(pubsub.SubscriptionIAMMember, `sources-${source}-gives-up`, grant, { retainOnDelete: true });
    }
    return [`pubsub-of-${project}`, member] as const;
  });
}

function describeStep(source: Source, { settings, functions, topics }: SourcesArgs): pulumi.Output<string> {
  switch (source.kind) {
    case 'caller': {
      const { name, member, reads } = source;
      const { url } = functions.get(member ? 'capture' : 'signed-capture');
      const token = member ? pulumi.interpolate`, with an identity token for ${url}` : '';
      const signature = reads?.secret ? ', signed by its secret' : '';
      // How its messages are read is found by this path.
      return pulumi.interpolate`POST failures to ${url}${reads ? `/${name}` : ''}${token}${signature}.`;
    }
    case 'publisher':
      return pulumi.interpolate`Publish failures to ${topics.capture.id}; in Kafka Connect: cps.project=${settings.project} cps.topic=${topics.capture.name}`;
    case 'topic':
      return pulumi.interpolate`Every new message of ${source.topic} is captured.`;
    case 'subscription': {
      const { project, name } = splitName(source.subscription);
      return pulumi.interpolate`gcloud pubsub subscriptions update ${name} --project=${project} --dead-letter-topic=${topics.capture.id} --max-delivery-attempts=${source.maxDeliveryAttempts}`;
    }
  }
}
