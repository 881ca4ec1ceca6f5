import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';
import { migrate } from '../../migrations/migrate.ts';
import { useEmptyDatabases } from '../support/database.ts';

const command = path.resolve(import.meta.dirname, '../../migrations/migrate.ts');

describe('npm run migrate', () => {
  const anEmptyDatabase = useEmptyDatabases();

  const run = (databaseUrl: string) => {
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    const { status, stdout, stderr } = spawnSync(process.execPath, [command], { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('says in one line what it applied', async () => {
    const { status, stdout, stderr } = run(await anEmptyDatabase());
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /^Applied 001_events(, \d{3}_[a-z-]+)+\.\n$/);
  });

  it('says that there is nothing to do', async () => {
    const url = await anEmptyDatabase();
    await migrate(url);
    const stdout = 'Nothing to do: the schema is up to date.\n';
    assert.deepEqual(run(url), { status: 0, stdout, stderr: '' });
  });

  it('says what to do without DATABASE_URL', () => {
    const { status, stdout, stderr } = run('');
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /^Set DATABASE_URL .*postgres:\/\/.*\n$/);
  });

  it('says in one line why it failed', async () => {
    const { status, stdout, stderr } = run(`${await anEmptyDatabase()}_missing`);
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
    assert.match(stderr, /^The schema was not changed\. .*does not exist\n$/);
  });
});
