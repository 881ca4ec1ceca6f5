import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { migrations } from '../../../infra/cloud-sql.ts';
import { hashMigrations } from '../../../migrations/hash-migrations.ts';
import { type CloudSql, startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import type { Create, Created } from '../../support/create-dynamic.ts';
import { createEmptyDatabase, dropDatabase } from '../../support/database.ts';
import { useForked } from '../../support/forked.ts';
import { withGoogle } from '../../support/google.ts';
import { type Login, useLogins } from '../../support/logins.ts';
import { useMigrationsCopies } from '../../support/migrations-copies.ts';

const inputs = {
  instance: 'acme:eu:dlo',
  database: 'events',
  user: 'ana@acme.com',
  ipType: 'PUBLIC',
  users: [],
  logins: {},
  migrations: hashMigrations(),
} as const;

describe('migrations by pulumi up', () => {
  const copyMigrations = useMigrationsCopies();

  it('are skipped if nothing changed', async () => {
    const google = withGoogle();
    google.answer = () => ({});
    assert.deepEqual(await migrations.findFailed?.(google, inputs, inputs), []);
  });

  it('are skipped for a login whose roles Cloud SQL does not report', async () => {
    const google = withGoogle();
    const users = [{ name: 'ana@acme.com', type: 'CLOUD_IAM_USER' }] as const;
    google.answer = ({ url }) => (url.endsWith('/users') ? { items: users } : {});
    const admins = users.map((user) => ({ ...user, databaseRoles: ['cloudsqlsuperuser'] }));
    const wanted = { ...inputs, users: admins };
    assert.deepEqual(await migrations.findFailed?.(google, wanted, wanted), []);
  });

  it('are applied again if the database is gone', async () => {
    const google = withGoogle();
    google.answer = ({ url }) => (url.endsWith('/users') ? {} : undefined);
    assert.equal((await migrations.findFailed?.(google, inputs, inputs))?.length, 1);
  });

  it('are refused beside an instance that a killed update has left', async () => {
    const google = withGoogle();
    const names = ['events', 'dlo2-database-instance-0123abc', 'dlo-database-instance-0123abc-replica'];
    google.answer = ({ url }) =>
      url.endsWith('/projects/acme/instances') ? { items: names.map((name) => ({ name })) } : undefined;
    const apply = (instance: string) =>
      migrations.apply(google, { ...inputs, instance: `acme:eu:${instance}` });
    // It goes on, to an instance that does not exist.
    const none = { message: 'sqladmin.googleapis.com answered 404: Not found.' };
    await assert.rejects(apply('dlo-database-instance-0123abc'), none);
    await assert.rejects(apply('event'), none);
    names.push('dlo-database-instance-89abcde', 'dlo-database-instance-0123abc');
    await assert.rejects(
      apply('dlo-database-instance-0123abc'),
      /^Error: A killed update has made dlo-database-instance-89abcde beside .*: gcloud sql instances delete /,
    );
  });

  it('are applied again if a file changes or is added, since its hash is an input', async () => {
    const folder = await copyMigrations();
    assert.deepEqual(hashMigrations(folder), inputs.migrations);
    await appendFile(path.join(folder, '001_events.sql'), 'select 1;');
    const edited = hashMigrations(folder);
    assert.notDeepEqual(edited, inputs.migrations);
    await writeFile(path.join(folder, '900_note.sql'), 'select 1');
    assert.notDeepEqual(hashMigrations(folder), edited);
  });
});

describe('migrations on Cloud SQL', () => {
  let databaseUrl = '';
  let deployer: Login;
  let cloudSql: CloudSql;
  const aLogin = useLogins(() => databaseUrl);
  before(async () => {
    databaseUrl = await createEmptyDatabase();
    deployer = await aLogin('superuser');
    cloudSql = await startCloudSql(deployer.user, deployer.url, 1);
  });
  after(async () => {
    await cloudSql.stop();
    await dropDatabase(databaseUrl);
  });
  const send = useForked<Create, Created>('create-dynamic.ts', () => ({
    ...cloudSql.env,
    METADATA_SERVER_DETECTION: 'none',
  }));
  const migrate = (owner: string) => {
    const { instance, database } = cloudSql;
    const own = { ...inputs, kind: 'Migrations', instance, database, user: deployer.user } as const;
    return send({ inputs: { ...own, accessToken: `token of ${owner}`, options: {} } });
  };

  it('log in with the token of the provider, as whoever runs pulumi up', async () => {
    assert.deepEqual(await migrate(deployer.user), {});
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query('select name from dlq_migrations order by id limit 1');
    await client.end();
    assert.deepEqual(rows, [{ name: '001_events' }]);
  });

  it('fail with what to do if the token expires before the connection is open', async () => {
    const { failure } = await migrate('an hour ago');
    assert.match(
      String(failure),
      /^Error: No connection to .* 401\. The access token has expired: run the same command again\.$/,
    );
  });
});
