import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { describeError } from '../../functions/endpoint.ts';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { runOnServer, useEmptyDatabases } from '../support/database.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { pickVariant } from '../support/sample.ts';
import { type Story, serveAll, tellStory } from '../support/story.ts';

/** Settings that a database or a login of others may have. */
const unusual = {
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Pacific/Chatham',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  search_path: 'pg_catalog',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  client_encoding: 'LATIN1',
  lc_messages: 'C',
  statement_timeout: '1ms',
  lock_timeout: '1ms',
};

/** Captures messages with the settings of the database, and returns what the product reads of them. */
async function captureInSql(url: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set statement_timeout = 0; set lock_timeout = 0; set search_path = public');
  const text = `select dlq_capture(event_type => 'order.created', payload => $1, body => $2, event_id => 'order-1',
    occurred_at => '2026-03-04 05:06:07.089+00'::timestamptz, source_key_bytes => $2, error_reason => $3,
    metadata => '{"price": 1.10, "at": "3 days"}', failed_at => '2026-03-05 05:06:07.089+00'::timestamptz)`;
  for (const [payload, reason] of [
    ['{"a": 1.10}', 'first'],
    ['{"a": 1.10}', 'then'],
    ['{"b": "\\\\"}', 'other'],
  ])
    await client.query(text, [payload, Buffer.from(`\xff${payload}`, 'latin1'), reason]);
  await client.query(`insert into dlq_events (event_type, payload) values ('plain', '{"c": 1}')`);
  await client.end();
  const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'test');
  const chance = `'{captured_at,created_at,updated_at,first_failure_at,last_failure_at,retry_after,redelivery_token,
    event_key}'::text[]`;
  const { rows } = await db
    .query({
      text: `select to_jsonb(dlq_events) - ${chance} from dlq_events
             union all select to_jsonb(dlq_captures) - ${chance} from dlq_captures`,
    })
    .finally(() => db.close());
  return rows;
}

describe('a database', () => {
  const target = useHttpTarget();
  const anEmptyDatabase = useEmptyDatabases();
  const aMigratedDatabase = () => anEmptyDatabase(process.env.DLO_TEST_TEMPLATE);
  let plain: Story;
  before(async () => {
    plain = await tellStory(await aMigratedDatabase(), target());
  });
  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const setUnusual = async (url: string) => {
    const statements = Object.entries(unusual).map(([name, value]) => {
      const list = name === 'search_path' ? value : `'${value}'`;
      return `alter database ${nameOf(url)} set ${name} = ${list}`;
    });
    await runOnServer(...statements);
  };

  it('with unusual settings captures, delivers and shows the same', async () => {
    const url = await anEmptyDatabase();
    await setUnusual(url);
    await migrate(url);
    target().received.length = 0;

    assert.deepEqual(await tellStory(url, target()), plain);
  });

  it('with unusual settings stores what its applications capture in SQL the same', async () => {
    const [normal, odd] = [await aMigratedDatabase(), await aMigratedDatabase()];
    await setUnusual(odd);

    assert.deepEqual(await captureInSql(odd), await captureInSql(normal));
  });

  for (const encoding of pickVariant('encoding', ['LATIN1', 'SQL_ASCII'])) {
    it(`with the encoding ${encoding} is neither migrated nor used by functions, with the remedy`, async () => {
      const url = await anEmptyDatabase();
      await runOnServer(
        `drop database ${nameOf(url)}`,
        `create database ${nameOf(url)} encoding ${encoding} locale 'C' template template0`,
      );
      await assert.rejects(migrate(url), {
        code: 'CONFLICT',
        message: new RegExp(`${encoding}; UTF8 is required.*ENCODING 'UTF8' TEMPLATE template0`),
      });

      const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'test');
      const error = await db.query({ text: 'select' }).catch((each: unknown) => each);
      await db.close();
      const { status, headers, body } = describeError(error);
      assert.deepEqual([status, headers['retry-after']], [503, '5']);
      assert.match(body, /must have the encoding UTF8: create one with ENCODING 'UTF8'/);
    });
  }

  const requests = {
    capture: ['POST '],
    retry: ['POST '],
    replay: ['GET events'],
    console: ['GET events'],
    maintain: ['POST ', 'GET metrics'],
  };
  it('that was not migrated is answered by 503 with Retry-After and the remedy by each function', async () => {
    const { urls, stop } = await serveAll(await anEmptyDatabase(), target());
    for (const [name, url] of Object.entries(urls)) {
      for (const [method = '', path = ''] of requests[name as keyof typeof urls].map((each) =>
        each.split(' '),
      )) {
        const answer = await fetch(url + path, { method, ...(method === 'POST' && { body: '{}' }) });
        const text = await answer.text();

        assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5'], text);
        assert.match(text, /The schema of the database is that of another version: run npm run migrate/);
      }
    }
    await stop();
  });

  it('that was migrated beside a running function answers its next statement', async () => {
    const url = await anEmptyDatabase();
    const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'test');
    const query = { name: 'read-all', text: 'select * from numbers' };
    await db.query({ text: 'create table numbers (n integer)' });
    await db.query(query);
    await db.query({ text: 'alter table numbers add column m integer' });
    const { fields } = await db.query(query).finally(() => db.close());

    assert.equal(fields.length, 2);
  });
});
