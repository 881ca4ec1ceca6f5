import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Target } from '../../../shared/delivery/targets/target-kinds.ts';
import { at, configurations, deployed } from '../../support/deployment-program.ts';
import type { Registered } from '../../support/pulumi-program.ts';

const { prod, full } = configurations;
/** Two deployments that have every optional resource between them. */
const deployments = [await deployed('prod'), await deployed('full')];
const resources = deployments.flatMap((deployment) => deployment.resources);
const grants = resources.filter(({ inputs }) => 'role' in inputs && 'member' in inputs);

describe('IAM', () => {
  it('grants exactly the permissions that docs/security.md lists', () => {
    const granted = [
      ...new Set(grants.map((grant) => [toWho(grant), grant.inputs.role, toWhat(grant)].join(' | '))),
    ];
    assert.deepEqual(granted.sort(), readTable('grants').sort());
  });

  it('is changed additively, so that grants by others stay', () => {
    const types = resources.map(({ type }) => type).filter((type) => /iam/i.test(type));
    assert.deepEqual(
      types.filter((type) => !/iamMember$/i.test(type)),
      [],
    );
  });

  it('lets retry deliver to a target of each kind', () => {
    // A service behind HTTP admits retry by its own settings.
    const needed: Readonly<Record<Target['kind'], readonly string[]>> = {
      http: [],
      pubsub: ['roles/pubsub.publisher'],
      'kafka-rest': [],
    };
    const ofRoutes = grants.filter(
      (grant) => toWho(grant) === 'retry' && toWhat(grant).endsWith(' of a route'),
    );
    const roles = ofRoutes.map(({ inputs }) => String(inputs.role));
    assert.deepEqual([...new Set(roles)], Object.values(needed).flat());
  });

  it('uses no basic or multi-purpose role', () => {
    const broad =
      /^roles\/(owner|editor|viewer|[a-zA-Z]+\.admin|iam\.serviceAccountUser|iam\.serviceAccountTokenCreator)$/;
    assert.deepEqual(
      grants.filter(({ inputs }) => broad.test(String(inputs.role))),
      [],
    );
  });

  it('grants on a whole project only if Google Cloud offers no smaller scope', () => {
    const isLimited = ({ inputs }: Registered) =>
      String(at(inputs.condition, 'expression')).includes('resource.name');
    const wide = grants.filter((grant) => grant.type.startsWith('gcp:projects/') && !isLimited(grant));
    assert.deepEqual([...new Set(wide.map(({ inputs }) => inputs.role))].sort(), [
      'roles/cloudsql.instanceUser',
      'roles/logging.logWriter',
    ]);
  });
});

/** Returns the role of the member of a grant. */
function toWho({ inputs }: Registered): string {
  const member = String(inputs.member);
  const own = /^serviceAccount:dlo-([\w-]+)@acme-prod\./.exec(member)?.[1];
  if (own) return own;
  if (member.includes('@gcp-sa-pubsub.')) return 'Pub/Sub';
  if (member.includes('@gcp-sa-iap.')) return 'IAP';
  if (member === 'allUsers') return 'allUsers';
  if ([...prod.operators, ...full.operators].includes(member)) return 'operator';
  if ([...prod.viewers, ...full.viewers].includes(member)) return 'viewer';
  if (prod.readers.includes(member)) return 'reader';
  if (member === prod.deployer) return 'deployer';
  return prod.sources.some((source) => 'member' in source && source.member === member) ? 'source' : member;
}

/** Returns the smallest resource that a grant is limited to. */
function toWhat({ type, inputs }: Registered): string {
  const own = (name: unknown) =>
    String(name)
      .replace(/^dlo-/, '')
      .replace(/^build-/, '');
  const ownTopic = (name: string) => (name.startsWith('dlo-') ? `topic ${own(name)}` : 'topic of a route');
  const ownSubscription = (name: string) => {
    if (name.startsWith('dlo-sources-')) return 'push subscription of a source topic';
    return name.startsWith('dlo-') ? `subscription ${own(name)}` : 'subscription of a source';
  };
  const limits: Record<string, () => string> = {
    'cloudrunv2/serviceIamMember:ServiceIamMember': () => `function ${own(inputs.name)}`,
    'iap/webCloudRunServiceIamMember:WebCloudRunServiceIamMember': () =>
      `IAP of ${own(inputs.cloudRunServiceName)}${inputs.condition ? `: ${at(inputs.condition, 'title')}` : ''}`,
    'pubsub/topicIAMMember:TopicIAMMember': () => ownTopic(String(inputs.topic)),
    'pubsub/subscriptionIAMMember:SubscriptionIAMMember': () => ownSubscription(String(inputs.subscription)),
    'secretmanager/secretIamMember:SecretIamMember': () => `secret ${own(inputs.secretId)}`,
    'serviceaccount/iAMMember:IAMMember': () =>
      `account ${own(/serviceAccounts\/([\w-]+)@/.exec(String(inputs.serviceAccountId))?.[1])}`,
    'storage/bucketIAMMember:BucketIAMMember': () =>
      String(inputs.bucket).startsWith('dlo-exports') ? 'bucket of the exports' : 'bucket of the source',
    'artifactregistry/repositoryIamMember:RepositoryIamMember': () => 'repository of the images',
    'projects/iAMMember:IAMMember': () =>
      inputs.condition ? `project: ${at(inputs.condition, 'title')}` : 'project',
  };
  return limits[type.replace('gcp:', '')]?.() ?? type;
}

/** Returns the first three columns of the table after a mark in docs/security.md. */
function readTable(mark: string): string[] {
  const [, after = ''] = readFileSync('docs/security.md', 'utf8').split(`<!-- ${mark} -->\n`);
  const rows = after.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return rows.flatMap((row) => {
    const [, who = '', role = '', what = ''] = row.split('|').map((cell) => cell.trim().replaceAll('`', ''));
    return who.split(', ').flatMap((each) => what.split(', ').map((one) => [each, role, one].join(' | ')));
  });
}
