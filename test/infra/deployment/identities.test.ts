import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SqlUser } from '../../../infra/cloud-sql.ts';
import { hashMigrations } from '../../../migrations/hash-migrations.ts';
import { all, allOwn, configurations, deployed, runDeployment } from '../../support/deployment-program.ts';
import type { Ran } from '../../support/pulumi-program.ts';

const deployment = await deployed('plain');
const [migrations] = allOwn(deployment, 'Migrations');
const usersOf = (ran: Ran) => (allOwn(ran, 'Migrations')[0]?.inputs.users ?? []) as readonly SqlUser[];

describe('the logins', () => {
  it('are one for each function and one for the deployer', () => {
    const found = usersOf(deployment).map(({ name, type, databaseRoles }) => [
      name,
      type,
      databaseRoles?.[0],
    ]);
    assert.deepEqual(found.sort(), [
      ['ana@acme.example', 'CLOUD_IAM_USER', 'cloudsqlsuperuser'],
      ['dlo-capture@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-console@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-maintain@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-replay@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-retry@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
    ]);
  });

  it('are given to people and groups that read, with the read-only role', async () => {
    const readers = ['user:dan@acme.example', 'group:support@acme.example'];
    const ran = await runDeployment({ ...configurations.plain, readers });
    assert.deepEqual(usersOf(ran).slice(-2), [
      { name: 'dan@acme.example', type: 'CLOUD_IAM_USER' },
      { name: 'support@acme.example', type: 'CLOUD_IAM_GROUP' },
    ]);
    const logins = allOwn(ran, 'Migrations')[0]?.inputs.logins as Record<string, string[]>;
    assert.deepEqual(logins.dlq_readonly, ['dan@acme.example', 'support@acme.example']);
    const granted = all(ran, 'projects/iAMMember:IAMMember').filter(({ inputs }) =>
      readers.includes(String(inputs.member)),
    );
    assert.deepEqual(
      granted.map(({ inputs }) => inputs.role),
      [
        'roles/cloudsql.client',
        'roles/cloudsql.instanceUser',
        'roles/cloudsql.client',
        'roles/cloudsql.instanceUser',
      ],
    );
  });

  it('fit into a PostgreSQL name for every valid name of deployment and project', async () => {
    const names = usersOf(await deployed('one')).map(({ name }) => name);
    assert.ok(names.includes(`${'a'.repeat(12)}-signed-capture@${'p'.repeat(30)}.iam`));
    assert.deepEqual(
      names.filter((name) => name.length > 63),
      [],
    );
  });
});

describe('the migrations', () => {
  it('run as the deployer, through the connector, without a password', () => {
    const {
      logins: _logins,
      users: _users,
      migrations: hashes,
      code,
      kind,
      accessToken: _token,
      options: _options,
      ...location
    } = migrations?.inputs ?? {};
    assert.deepEqual(location, {
      instance: 'acme-test:us-central1:dlo-database-instance-1a2b3c4',
      database: 'dlo',
      user: 'ana@acme.example',
      ipType: 'PUBLIC',
    });
    assert.deepEqual([hashes, code, kind], [hashMigrations(), 'infra/dynamic/dynamic-code.ts', 'Migrations']);
  });

  it('grant each login its role, once all logins exist', () => {
    assert.deepEqual(migrations?.inputs.logins, {
      dlq_capture: ['dlo-capture@acme-test.iam'],
      dlq_console: ['dlo-console@acme-test.iam'],
      dlq_maintain: ['dlo-maintain@acme-test.iam'],
      dlq_replay: ['dlo-replay@acme-test.iam'],
      dlq_retry: ['dlo-retry@acme-test.iam'],
    });
    const needed = all(deployment, 'projects/iAMMember:IAMMember')
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('dlo-build-'));
    assert.deepEqual(
      needed.filter((name) => !migrations?.waitsFor.includes(name)),
      [],
    );
  });

  it('run before any function is updated, so that a failure leaves the running functions unchanged', () => {
    const functions = all(deployment, 'cloudfunctionsv2/function:Function');
    assert.ok(functions.every(({ waitsFor }) => waitsFor.includes('dlo-migrations')));
  });

  it('are left to the operator outside of Cloud SQL', async () => {
    assert.deepEqual(allOwn(await deployed('elsewhere'), 'Migrations'), []);
  });
});
