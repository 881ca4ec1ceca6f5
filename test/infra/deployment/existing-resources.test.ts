import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { RolloutInputs } from '../../../infra/rollout/verify-rollout.ts';
import {
  all,
  allOwn,
  at,
  configurations,
  deployed,
  runDeployment,
} from '../../support/deployment-program.ts';

const repository = 'projects/acme-test/locations/us-central1/repositories/functions';
const workerPool = 'projects/acme-build/locations/us-central1/workerPools/private';
const address = (name: string) => `${name}@acme-people.iam.gserviceaccount.com`;
const purposes = [
  'build',
  'capture',
  'retry',
  'replay',
  'console',
  'maintain',
  'capture-push',
  'continue-push',
];
const schedules = ['retry-schedule', 'maintain-schedule'];
const serviceAccounts = Object.fromEntries([...purposes, ...schedules].map((name) => [name, address(name)]));
const own = { repository, workerPool, sourceBucket: 'acme-sources', serviceAccounts };
const deployment = await runDeployment({ ...configurations.plain, ...own });

describe('a deployment with resources that exist', () => {
  it('creates no account, no repository and no bucket', () => {
    const types = [
      'serviceaccount/account:Account',
      'artifactregistry/repository:Repository',
      'storage/bucket:Bucket',
    ];
    for (const type of types) assert.deepEqual(all(deployment, type), [], type);
  });

  it('builds and runs its functions with them', () => {
    for (const { inputs } of all(deployment, 'cloudfunctionsv2/function:Function')) {
      const purpose = String(inputs.name).replace('dlo-', '');
      assert.equal(at(inputs, 'serviceConfig', 'serviceAccountEmail'), address(purpose));
      assert.deepEqual(
        ['serviceAccount', 'dockerRepository', 'workerPool'].map((key) => at(inputs, 'buildConfig', key)),
        [`projects/acme-people/serviceAccounts/${address('build')}`, repository, workerPool],
      );
      assert.equal(at(inputs, 'buildConfig', 'source', 'storageSource', 'bucket'), 'acme-sources');
    }
  });

  it('grants the account of builds what it needs in the repository', () => {
    const [grant] = all(deployment, 'artifactregistry/repositoryIamMember:RepositoryIamMember');
    const { project, location, repository: name, member } = grant?.inputs ?? {};
    assert.deepEqual(
      [project, location, name, member],
      ['acme-test', 'us-central1', 'functions', `serviceAccount:${address('build')}`],
    );
  });

  it('logs in as the accounts that it was given', () => {
    const logins = allOwn(deployment, 'Migrations')[0]?.inputs.logins;
    assert.deepEqual(at(logins, 'dlq_retry'), ['retry@acme-people.iam']);
  });

  it('is refused with an account for an unknown purpose', () => {
    const settings = { ...configurations.plain, serviceAccounts: { rety: address('retry') } as never };
    assert.throws(() => checkSettings(settings), /Unknown account: use build, capture/);
  });
});

describe('what may hold events or messages', () => {
  const holding = (ran: typeof deployment) =>
    [
      'pubsub/topic:Topic',
      'pubsub/subscription:Subscription',
      'sql/databaseInstance:DatabaseInstance',
    ].flatMap((type) => all(ran, type));

  it('is protected as long as deletionProtection is true, and only then', async () => {
    const kept = holding(await deployed('full'));
    assert.ok(kept.length >= 9);
    assert.deepEqual(
      kept.filter(({ protect }) => !protect).map(({ name }) => name),
      [],
    );
    assert.ok(holding(await deployed('network')).every(({ protect }) => !protect));
  });
});

describe('the callers of a deployment', () => {
  it('are those whose grants the end of each update verifies', async () => {
    const ran = await deployed('prod');
    const granted = all(ran, 'cloudrunv2/serviceIamMember:ServiceIamMember');
    const services = allOwn(ran, 'Rollout')[0]?.inputs.services as RolloutInputs['services'];
    for (const { inputs } of granted) {
      const service = `projects/acme-prod/locations/europe-west1/services/${inputs.name}`;
      const verified = services.find((each) => each.service === service);
      const has = ({ role, member }: { role: string; member: string }) =>
        role === inputs.role && member === inputs.member;
      assert.ok(verified?.access.grants.some(has), service);
    }
    assert.ok(granted.length > 6);
  });
});
