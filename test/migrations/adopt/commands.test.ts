import assert from 'node:assert/strict';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { articlesTable } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { startCommand } from '../../support/run-command.ts';
import { describeSchema } from '../../support/schema/describe-schema.ts';

describe('the commands beside a table of the articles', () => {
  const anEmptyDatabase = useEmptyDatabases();
  let url = '';
  let schema = '';
  const run = (file: string, ...args: string[]) => {
    const env = {
      DATABASE_URL: url,
      PORT: '0',
      DATA_DIR: path.join(process.env.DLO_TEST_FOLDER ?? '', 'none'),
    };
    return startCommand([file, ...args], { env }).ended;
  };

  before(async () => {
    url = await anEmptyDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(articlesTable);
    await client.end();
    schema = await describeSchema(url);
  });

  it('npm start points to npm run adopt, and leaves nothing behind', async () => {
    const { status, stderr } = await run('local/start.ts');
    assert.equal(status, 1);
    assert.match(stderr, /dlq_events is a table of the articles.*npm run adopt -- --dry-run/);
    assert.equal(await describeSchema(url), schema);
  });

  it('npm run migrate prints its help, and changes nothing', async () => {
    const { status, stdout } = await run('migrations/migrate.ts', '--help');
    assert.equal(status, 0);
    assert.match(stdout, /applies all pending migrations[\s\S]*npm run adopt/);
    assert.equal(await describeSchema(url), schema);
  });

  it('npm run migrate rejects an unknown flag, and changes nothing', async () => {
    const { status, stderr } = await run('migrations/migrate.ts', '--dry-run');
    assert.equal(status, 1);
    assert.match(stderr, /Unknown option '--dry-run'.*Nothing was changed/s);
    assert.equal(await describeSchema(url), schema);
  });

  it('npm run adopt prints its help', async () => {
    const { status, stdout } = await run('migrations/adopt/run-adopt.ts', '--help');
    assert.equal(status, 0);
    assert.match(stdout, /--dry-run[\s\S]*--accept NAME[\s\S]*--map FILE/);
  });
});
