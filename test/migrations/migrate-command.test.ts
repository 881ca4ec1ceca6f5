import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { runOnServer, useEmptyDatabases } from '../support/database.ts';

const command = path.resolve(import.meta.dirname, '../../migrations/migrate.ts');

describe('npm run migrate', () => {
  const anEmptyDatabase = useEmptyDatabases();
  const logins: string[] = [];
  after(async () => {
    for (const login of logins) await runOnServer(`drop role ${login}`);
  });

  const run = (databaseUrl: string, more = {}) => {
    const env = { ...process.env, DATABASE_URL: databaseUrl, ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, [command], { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('prints the names of the applied migrations', async () => {
    const { status, stdout, stderr } = run(await anEmptyDatabase());
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /^Applied 001_events(, \d{3}_[a-z-]+)+\.\n$/);
  });

  it('prints that the schema is up to date', async () => {
    const url = await anEmptyDatabase(process.env.DLO_TEST_TEMPLATE);
    const stdout = 'The schema is up to date.\n';
    assert.deepEqual(run(url), { status: 0, stdout, stderr: '' });
  });

  it('reports a missing DATABASE_URL with the remedy', () => {
    const { status, stdout, stderr } = run('');
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /Set DATABASE_URL, or INSTANCE_CONNECTION_NAME for Cloud SQL\.\n$/);
  });

  it('reports all invalid settings together', () => {
    const { status, stderr } = run('mysql://root:secret@db', {
      DB_LOGINS: 'dlq_retry=retry@acme.iam,capture@acme.iam',
    });
    assert.equal(status, 1);
    assert.match(stderr, /2 problems[\s\S]*DATABASE_URL[\s\S]*DB_LOGINS = "capture@acme\.iam"/);
    assert.doesNotMatch(stderr, /secret/);
  });

  it('grants the logins of DB_LOGINS their roles, and gives the schema to dlq_owner', async () => {
    const url = await anEmptyDatabase();
    const login = `dlo_test_${randomBytes(4).toString('hex')}`;
    await runOnServer(`create role ${login} login`);
    logins.push(login);
    assert.equal(run(url, { DB_LOGINS: `dlq_retry=${login}` }).status, 0);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      `select pg_has_role('${login}', 'dlq_retry', 'member') as is_member, tableowner as owner
       from pg_tables where tablename = 'dlq_events'`,
    );
    await client.end();
    assert.deepEqual(rows, [{ is_member: true, owner: 'dlq_owner' }]);
  });

  it('prints the reason of a failure in one line', async () => {
    const login = `dlo_test_${randomBytes(4).toString('hex')}`;
    await runOnServer(`create role ${login} login password 'only-for-tests'`);
    logins.push(login);
    const url = new URL(await anEmptyDatabase());
    const denied = run(Object.assign(url, { username: login, password: 'only-for-tests' }).href);
    assert.match(denied.stderr, /^The migration failed\. .*permission denied for schema public\n$/m);

    const { status, stdout, stderr } = run(`${await anEmptyDatabase()}_missing`);
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /^The migration failed\. .*does not exist\n$/);
    const socket = run('postgres://owner:secret@/events?host=/none');
    assert.match(
      socket.stderr,
      /^The migration failed\. No connection to its socket: .*ENOENT \/none\/\S+\n$/,
    );
  });
});
