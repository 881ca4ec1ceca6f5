import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { addInstance, cloudSql, type SqlInstances } from './services/cloud-sql.ts';
import { useGoogle } from './use-google.ts';

// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1beta4/instances
describe('Cloud SQL of the stand-in', () => {
  const instances: SqlInstances = new Map();
  const running = useGoogle((google) => cloudSql(google, instances));
  const one = 'sqladmin.googleapis.com/sql/v1beta4/projects/acme/instances/main';
  before(() => addInstance(running().google, instances, 'acme:us-central1:main'));
  after(async () => {
    for (const instance of instances.values()) await instance.stop();
  });
  const settingsOf = async () => (await running().call('GET', one)).body.settings as Record<string, unknown>;

  it('changes what a patch says, and takes away what an update does not say', async () => {
    const { call } = running();
    await call('PATCH', one, { settings: { tier: 'db-f1-micro', userLabels: { team: 'a' } } });
    assert.equal((await settingsOf()).tier, 'db-f1-micro');
    const { settingsVersion } = await settingsOf();
    await call('PUT', one, { settings: { tier: 'db-g1-small' } });
    const { tier, userLabels, activationPolicy, settingsVersion: next } = await settingsOf();
    assert.deepEqual([tier, userLabels, activationPolicy], ['db-g1-small', undefined, 'ALWAYS']);
    assert.equal(Number(next), Number(settingsVersion) + 1);
  });

  it('says by status that an operation is done', async () => {
    const { body } = await running().call('PATCH', one, { settings: {} });
    assert.deepEqual([body.kind, body.status, body.done], ['sql#operation', 'DONE', undefined]);
  });

  it('makes real databases and logins, each once', async () => {
    const { call } = running();
    assert.equal((await call('POST', `${one}/databases`, { name: 'events' })).code, 200);
    assert.equal((await call('POST', `${one}/databases`, { name: 'events' })).code, 400);
    const user = { name: 'ana@acme.example', type: 'CLOUD_IAM_USER', databaseRoles: ['cloudsqlsuperuser'] };
    assert.equal((await call('POST', `${one}/users`, user)).code, 200);
    const instance = instances.get('projects/acme/instances/main');
    const rows = await instance?.query(
      "select pg_has_role('ana@acme.example', 'cloudsqlsuperuser', 'set') as may",
      'events',
    );
    assert.deepEqual(rows, [{ may: true }]);
  });

  it('withholds the roles of a login while that is planned', async () => {
    const { call, google } = running();
    google.ignoresDatabaseRoles = true;
    const user = { name: 'ben@acme.example', type: 'CLOUD_IAM_USER', databaseRoles: ['cloudsqlsuperuser'] };
    await call('POST', `${one}/users`, user);
    google.ignoresDatabaseRoles = false;
    const instance = instances.get('projects/acme/instances/main');
    const rows = await instance?.query(
      "select pg_has_role('ben@acme.example', 'cloudsqlsuperuser', 'set') as may",
      'events',
    );
    assert.deepEqual(rows, [{ may: false }]);
  });

  it('lets a login in that was made', async () => {
    const user = 'serviceAccount-of-capture@acme.iam';
    await running().call('POST', `${one}/users`, { name: user, type: 'CLOUD_IAM_SERVICE_ACCOUNT' });
    const { url = '' } = instances.get('projects/acme/instances/main') ?? {};
    // With the password of the gate.
    const client = new pg.Client({ connectionString: Object.assign(new URL(url), { username: user }).href });
    await client.connect();
    const { rows } = await client.query('select current_user as user');
    await client.end();
    assert.deepEqual(rows, [{ user }]);
  });

  it('does not delete a protected instance', async () => {
    const { call } = running();
    await call('PATCH', one, { settings: { deletionProtectionEnabled: true } });
    assert.equal((await call('DELETE', one)).code, 400);
  });
});
