import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { begin, finish, readBegun, withConnections } from '../../../migrations/adopt/adopt.ts';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { noMapping } from '../../../migrations/adopt/mapping.ts';
import { makePlan } from '../../../migrations/adopt/plan.ts';
import { articlesTable, someRows } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('an adoption beside other sessions', () => {
  const anEmptyDatabase = useEmptyDatabases();
  let url = '';
  const aSession = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { sql: async (text: string) => (await client.query(text)).rows, end: () => client.end() };
  };

  beforeEach(async () => {
    url = await anEmptyDatabase();
    const session = await aSession();
    await session.sql(articlesTable);
    await session.sql(someRows.replace('$1', '300'));
    await session.end();
  });

  it('lets a REPEATABLE READ transaction that began before find every row', async () => {
    const reader = await aSession();
    await reader.sql('begin isolation level repeatable read; select count(*) from pg_class');
    const said: string[] = [];
    const adoption = runAdopt({ DATABASE_URL: url }, [], (line) => said.push(line));
    await waitUntil('the adoption waits for the reader', () =>
      said.some((line) => line.startsWith('Waiting for the end of transactions')),
    );
    assert.deepEqual(await reader.sql('select count(*)::int as rows from dlq_events'), [{ rows: 300 }]);
    await reader.sql('commit');
    assert.equal(await adoption, 0);
    assert.deepEqual(await reader.sql('select count(*)::int as rows from dlq_events'), [{ rows: 300 }]);
    await reader.end();
  });

  it('copies a change later whose copy failed, and lets the statement of the consumer succeed', async () => {
    const [blocker, consumer] = [await aSession(), await aSession()];
    await withConnections({ kind: 'url', url }, 25, async (connections) => {
      const { client } = connections;
      await begin(connections, await makePlan(client, noMapping));
      await client.query('select adopting_copy_dlq_events(array[1])');
      await blocker.sql('begin; select from adopting_dlq_events where id = 1 for update');
      await consumer.sql(
        `set lock_timeout = 100; update dlq_events set error_reason = 'changed' where id = 1; reset lock_timeout`,
      );
      assert.deepEqual(await consumer.sql('select id from dlq_adoption_pending'), [{ id: '1' }]);
      await blocker.sql('rollback');
      await finish(
        connections,
        await readBegun(client),
        () => {},
        () => {},
      );
    });
    assert.deepEqual(await consumer.sql('select error_reason from dlq_events where id = 1'), [
      { error_reason: 'changed' },
    ]);
    await blocker.end();
    await consumer.end();
  });

  it('names a prepared transaction that holds a lock', async (test) => {
    const session = await aSession();
    const [{ max }] = (await session.sql(
      `select current_setting('max_prepared_transactions')::int as max`,
    )) as [{ max: number }];
    if (max === 0) {
      await session.end();
      return test.skip('The server allows no prepared transactions.');
    }
    await session.sql(`begin; delete from dlq_events where id = 1; prepare transaction 'held'`);
    await assert.rejects(
      runAdopt({ DATABASE_URL: url }, ['--lock-attempts', '2'], () => {}),
      /Prepared transaction 'held' of \w+, for \d+ s/,
    );
    await session.sql(`rollback prepared 'held'`);
    await session.end();
  });
});
