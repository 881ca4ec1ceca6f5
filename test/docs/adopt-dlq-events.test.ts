import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { deploySchema } from '../../migrations/deploy-schema.ts';
import { migrate } from '../../migrations/migrate.ts';
import { articlesTable } from '../support/adopted-tables.ts';
import { runOnServer, useEmptyDatabases } from '../support/database.ts';
import { describeSchema } from '../support/schema/describe-schema.ts';
import { runSqlFile } from '../support/sql-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const file = 'docs/adopt/dlq_events.sql';
const claim = `
  with due as (
    select id from dlq_events where status = 'PENDING' and retry_after <= '2100-01-01Z' order by retry_after limit 50
    for update skip locked)
  update dlq_events set status = 'PROCESSING', updated_at = now() where id in (select id from due) returning *`;

describe('the adoption of dlq_events', () => {
  const anEmptyDatabase = useEmptyDatabases();
  const consumers: string[] = [];
  // After their databases: a role with rights in one cannot be dropped.
  after(async () => {
    for (const consumer of consumers) await runOnServer(`drop role ${consumer}`);
  });
  /** A database with the table of the articles, 2,500 rows, and a session of its owner. */
  const anArticlesDatabase = async (t: { after: (end: () => Promise<void>) => void }) => {
    const url = await anEmptyDatabase();
    const client = new pg.Client({ connectionString: url });
    // The server ends a session that a test kills.
    client.on('error', () => {});
    await client.connect();
    t.after(() => client.end());
    const sql = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
    await sql(articlesTable.ddl);
    await sql(`${articlesTable.fill} from generate_series(1, 2500) n`);
    return { url, sql };
  };

  it('is what npm run migrate asks for', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    await assert.rejects(migrate(url), /Run docs\/adopt\/dlq_events\.sql first: it renames the table/);
    assert.deepEqual(await sql(`select to_regclass('dlq_attempts') as table`), [{ table: null }]);
  });

  it('lets consumers claim, settle and insert until npm run migrate', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    assert.match((await runSqlFile(url, file)).join(), /Run npm run migrate, and then this file again/);
    const [claimed] = await sql(claim);
    await sql(`update dlq_events set status = 'SUCCEEDED' where id = $1`, [claimed?.id]);
    await sql(articlesTable.insert, ['{}']);
    assert.deepEqual(await sql('select status from adopted_dlq_events where id = $1', [claimed?.id]), [
      { status: 'SUCCEEDED' },
    ]);
    assert.deepEqual(await sql('select max(id) as id from adopted_dlq_events'), [{ id: '2501' }]);
  });

  it('creates the schema of a new database', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    await runSqlFile(url, file);
    await migrate(url);
    await sql('drop table adopted_dlq_events');
    const golden = readFileSync(path.resolve(import.meta.dirname, '../../migrations/schema.sql'), 'utf8');
    assert.ok(golden.endsWith(await describeSchema(url)));
  });

  it('settles no other event for a worker that claimed a row before', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    await runSqlFile(url, file);
    await migrate(url);
    const [inserted] = await sql(articlesTable.insert, ['{}']);
    const settle = `update dlq_events set status = 'SUCCEEDED' where id = 4 returning event_key`;
    assert.deepEqual(await sql(settle), []);
    await runSqlFile(url, file);
    assert.deepEqual(await sql(settle), [{ event_key: 'dlq_events:4' }]);
    assert.equal(inserted?.id, '2501');
  });

  it('continues a copy that was killed', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    await runSqlFile(url, file);
    await migrate(url);
    // The copy waits for this transaction at row 1500, in its second batch.
    await sql('begin');
    await sql(
      `insert into dlq_events (event_key, event_type, payload) values ('dlq_events:1500', 'a', '{}')`,
    );
    const killed = assert.rejects(runSqlFile(url, file), /terminat/);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event = 'transactionid'`;
    await waitUntil('the copy waits', async () => (await other.query(kill)).rowCount === 1);
    await killed;
    await other.end();
    await sql('rollback');
    assert.deepEqual(await sql('select count(*)::int as events from dlq_events'), [{ events: 1000 }]);
    assert.deepEqual(await runSqlFile(url, file), ['2500 of 2500 rows of adopted_dlq_events are events.']);
  });

  it('gives up for a transaction that holds the table, and changes nothing', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    await sql('begin');
    await sql('select from dlq_events limit 1');
    await assert.rejects(runSqlFile(url, file), /lock timeout/);
    await sql('commit');
    assert.deepEqual(await sql(`select to_regclass('adopted_dlq_events') as table`), [{ table: null }]);
  });

  it('names words for statuses that it does not know, and copies nothing', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    await sql(`update dlq_events set status = 'erledigt' where id = 7`);
    await runSqlFile(url, file);
    await migrate(url);
    await assert.rejects(runSqlFile(url, file), /adopted_dlq_events\.status: erledigt is none of PENDING/);
    assert.deepEqual(await sql('select from dlq_events'), []);
  });

  it('serves consumers under a login of their own while dlq_owner gets the schema', async (t) => {
    const { url, sql } = await anArticlesDatabase(t);
    // That of the server: other databases have it, too.
    await sql(`do $$ begin create role dlq_owner nologin; exception when duplicate_object then null; end $$`);
    const consumer = `dlo_test_consumer_${new URL(url).pathname.slice(-12)}`;
    await sql(`create role ${consumer}; alter table dlq_events owner to ${consumer}`);
    consumers.push(consumer);
    await runSqlFile(url, file);
    await deploySchema({ kind: 'url', url }, { logins: {} });
    await sql(`set role ${consumer}`);
    await sql(articlesTable.insert, ['{}']);
    assert.equal((await sql(claim)).length, 1);
    await sql('reset role');
    assert.deepEqual(await runSqlFile(url, file), ['2500 of 2500 rows of adopted_dlq_events are events.']);
  });
});
