import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashMigrations } from '../../../migrations/hash-migrations.ts';
import { all, allOwn, at, deployed } from '../../support/deployment-program.ts';

const deployment = await deployed('plain');
const users = allOwn(deployment, 'SqlUser');

describe('the logins', () => {
  it('are one for each function and one for the deployer', () => {
    const found = users.map(({ inputs: user }) => [user.user, user.type, at(user.roles, 0)]);
    assert.deepEqual(found.sort(), [
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
    const names = allOwn(await deployed('one'), 'SqlUser').map(({ inputs: user }) => String(user.user));
    assert.ok(names.includes(`${'a'.repeat(12)}-signed-capture@${'p'.repeat(30)}.iam`));
    assert.deepEqual(
      names.filter((name) => name.length > 63),
      [],
    );
  });
});

describe('the migrations', () => {
  const [migrations] = allOwn(deployment, 'Migrations');

  it('run as the deployer, through the connector, without a password', () => {
    const { logins: _logins, migrations: hashes, code, kind, ...location } = migrations?.inputs ?? {};
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
    const needed = [...users, ...all(deployment, 'projects/iAMMember:IAMMember')]
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
