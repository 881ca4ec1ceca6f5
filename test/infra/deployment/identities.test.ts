import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, allOwn, at, plainSettings, runDeployment } from '../../support/deployment-program.ts';

const deployment = await runDeployment(plainSettings);

describe('the logins', () => {
  const users = allOwn(deployment, 'SqlUser');

  it('are one for each function and one for the deployer', () => {
    const known = users.map(({ inputs: user }) => [user.user, user.type, at(user.roles, 0)]);
    assert.deepEqual(known.sort(), [
      ['ana@acme.example', 'CLOUD_IAM_USER', 'cloudsqlsuperuser'],
      ['dlo-capture@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-console@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-maintain@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-replay@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-retry@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
    ]);
  });

  it('are created one at a time, a limit of Cloud SQL', () => {
    const before = users.map(({ waitsFor }) =>
      waitsFor.filter((name) => /-(login|deployer)-user$/.test(name)),
    );
    assert.deepEqual(before.map(({ length }) => length).sort(), [0, 1, 1, 1, 1, 1]);
    assert.equal(new Set(before.flat()).size, 5);
  });

  it('fit into a PostgreSQL name for every valid name of deployment and project', async () => {
    const long = {
      ...plainSettings,
      name: 'a'.repeat(12),
      project: 'p'.repeat(30),
      captureSecrets: 'sixteen characters',
    };
    const names = allOwn(await runDeployment(long), 'SqlUser').map(({ inputs: user }) => String(user.user));
    assert.deepEqual(
      names.filter((name) => name.length > 63),
      [],
    );
  });
});

describe('the migrations', () => {
  const migrations = (ran = deployment) => ran.resources.find(({ name }) => name === 'migrations');

  it('run as the deployer, through the connector, without a password', () => {
    const { logins: _logins, ...location } = migrations()?.inputs ?? {};
    assert.deepEqual(location, {
      instance: 'acme-test:us-central1:dlo-database-instance-1a2b3c4',
      database: 'dlo',
      user: 'ana@acme.example',
      ipType: 'PUBLIC',
    });
  });

  it('grant each login its role, once all logins exist', () => {
    assert.deepEqual(migrations()?.inputs.logins, {
      dlq_capture: ['dlo-capture@acme-test.iam'],
      dlq_console: ['dlo-console@acme-test.iam'],
      dlq_maintain: ['dlo-maintain@acme-test.iam'],
      dlq_replay: ['dlo-replay@acme-test.iam'],
      dlq_retry: ['dlo-retry@acme-test.iam'],
    });
    const needed = [...allOwn(deployment, 'SqlUser'), ...all(deployment, 'projects/iAMMember:IAMMember')]
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('dlo-build-'));
    assert.deepEqual(
      needed.filter((name) => !migrations()?.waitsFor.includes(name)),
      [],
    );
  });

  it('run before any function is updated, so that a failure leaves the running functions unchanged', () => {
    const functions = all(deployment, 'cloudfunctionsv2/function:Function');
    assert.ok(functions.every(({ waitsFor }) => waitsFor.includes('migrations')));
  });

  it('are left to the operator if databaseUrls has no login for them', async () => {
    const functions = ['capture', 'retry', 'replay', 'console', 'maintain'];
    const databaseUrls = Object.fromEntries(
      functions.map((name) => [name, `postgres://${name}@10.0.0.2/events`]),
    );
    assert.equal(
      migrations(await runDeployment({ ...plainSettings, databaseUrls, maxConnections: 500 })),
      undefined,
    );
    const migrate = 'postgres://owner:secret@10.0.0.2/events';
    const deployed = await runDeployment({
      ...plainSettings,
      databaseUrls: { ...databaseUrls, migrate },
      maxConnections: 500,
    });
    assert.deepEqual(migrations(deployed)?.inputs.url, { secret: migrate });
    assert.deepEqual(at(migrations(deployed)?.inputs.logins, 'dlq_retry'), ['retry']);
  });
});
