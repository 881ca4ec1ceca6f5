import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, plainSettings, runOffice } from '../support/office-program.ts';

const office = await runOffice(plainSettings);

describe('the logins', () => {
  const users = all(office, 'sql/user:User');

  it('are one for each function, as itself, and one for who deploys', () => {
    const known = users.map(({ inputs: user }) => [user.name, user.type, at(user.databaseRoles, 0)]);
    assert.deepEqual(known.sort(), [
      ['ana@acme.example', 'CLOUD_IAM_USER', 'cloudsqlsuperuser'],
      ['dlo-capture@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-console@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-maintain@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-replay@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
      ['dlo-retry@acme-test.iam', 'CLOUD_IAM_SERVICE_ACCOUNT', undefined],
    ]);
  });

  it('are made one at a time, as Cloud SQL does not make two at once', () => {
    const before = users.map(({ waitsFor }) =>
      waitsFor.filter((name) => /-(login|deployer)-user$/.test(name)),
    );
    assert.deepEqual(before.map(({ length }) => length).sort(), [0, 1, 1, 1, 1, 1]);
    assert.equal(new Set(before.flat()).size, 5);
  });

  it('stay behind when they go, as PostgreSQL does not drop who was granted anything', () => {
    assert.ok(users.every(({ inputs: user }) => user.deletionPolicy === 'ABANDON'));
  });

  it('fit into a name of PostgreSQL, whatever the names of office and project', async () => {
    const long = {
      ...plainSettings,
      name: 'a'.repeat(12),
      project: 'p'.repeat(30),
      captureSecrets: 'sixteen characters',
    };
    const names = all(await runOffice(long), 'sql/user:User').map(({ inputs: user }) => String(user.name));
    assert.deepEqual(
      names.filter((name) => name.length > 63),
      [],
    );
  });
});

describe('the migrations', () => {
  const migrations = (ran = office) => ran.resources.find(({ name }) => name === 'migrations');

  it('run as the deployer, through the connector, without a password', () => {
    const { logins: _logins, ...place } = migrations()?.inputs ?? {};
    assert.deepEqual(place, {
      instance: 'acme-test:us-central1:dlo-database-instance-1a2b3c4',
      database: 'dlo',
      user: 'ana@acme.example',
      ipType: 'PUBLIC',
    });
  });

  it('give each login its role, once all of them are there', () => {
    assert.deepEqual(migrations()?.inputs.logins, {
      dlq_capture: ['dlo-capture@acme-test.iam'],
      dlq_console: ['dlo-console@acme-test.iam'],
      dlq_maintain: ['dlo-maintain@acme-test.iam'],
      dlq_replay: ['dlo-replay@acme-test.iam'],
      dlq_retry: ['dlo-retry@acme-test.iam'],
    });
    const needed = [...all(office, 'sql/user:User'), ...all(office, 'projects/iAMMember:IAMMember')]
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('dlo-build-'));
    assert.deepEqual(
      needed.filter((name) => !migrations()?.waitsFor.includes(name)),
      [],
    );
  });

  it('come before any function, so that one that fails leaves those that serve as they are', () => {
    const functions = all(office, 'cloudfunctionsv2/function:Function');
    assert.ok(functions.every(({ waitsFor }) => waitsFor.includes('migrations')));
  });

  it('are done by hand where nobody said as whom to get to the database', async () => {
    const functions = ['capture', 'retry', 'replay', 'console', 'maintain'];
    const databaseUrls = Object.fromEntries(
      functions.map((name) => [name, `postgres://${name}@10.0.0.2/office`]),
    );
    assert.equal(
      migrations(await runOffice({ ...plainSettings, databaseUrls, maxConnections: 500 })),
      undefined,
    );
    const migrate = 'postgres://owner:secret@10.0.0.2/office';
    const told = await runOffice({
      ...plainSettings,
      databaseUrls: { ...databaseUrls, migrate },
      maxConnections: 500,
    });
    assert.deepEqual(migrations(told)?.inputs.url, { secret: migrate });
    assert.deepEqual(at(migrations(told)?.inputs.logins, 'dlq_retry'), ['retry']);
  });
});
