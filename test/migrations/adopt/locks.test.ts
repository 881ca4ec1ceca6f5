import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { begin, readBegun, withConnections } from '../../../migrations/adopt/adopt.ts';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { copyPending, copyRows } from '../../../migrations/adopt/copy-rows.ts';
import { type Connections, whileLocked } from '../../../migrations/adopt/lock-tables.ts';
import { noMapping } from '../../../migrations/adopt/mapping.ts';
import { makePlan } from '../../../migrations/adopt/plan.ts';
import { articlesTable, someRows } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a consumer beside an adoption', { concurrency: true }, () => {
  const anEmptyDatabase = useEmptyDatabases();
  const urls: string[] = [];
  const insert = `set lock_timeout = 4900; insert into dlq_events (event_type, payload, error_reason) values ('a', '{}', 'x')`;

  before(async () => {
    for (let n = 0; n < 5; n++) urls.push(await anEmptyDatabase());
  });

  /** Calls `work` with a session of a consumer. */
  const beside = async (work: (consumer: pg.Client, url: string) => Promise<void>) => {
    const url = urls.pop() ?? '';
    const consumer = new pg.Client({ connectionString: url });
    await consumer.connect();
    await consumer.query(articlesTable);
    await consumer.query(someRows, [1500]);
    try {
      await work(consumer, url);
    } finally {
      await consumer.end();
    }
  };
  /** Attempts to lock on a machine that is too busy for some of them. */
  const patient = 10;
  /** The same with the connections of an adoption. */
  const besideOpen = (
    work: (consumer: pg.Client, connections: Connections) => Promise<void>,
    lockAttempts = 1,
  ) =>
    beside((consumer, url) =>
      withConnections({ kind: 'url', url }, lockAttempts, (connections) => work(consumer, connections)),
    );

  it('does not wait while the adoption waits for a vacuum', () =>
    beside(async (consumer, url) => {
      const vacuum = new pg.Client({ connectionString: url });
      await vacuum.connect();
      // VACUUM has this lock while it runs.
      await vacuum.query('begin; lock table dlq_events in share update exclusive mode');
      const adoption = runAdopt({ DATABASE_URL: url }, [], () => {});
      await waitUntil('the adoption waits', async () => {
        const waiting = await consumer.query(
          `select from pg_locks where not granted and relation = 'dlq_events'::regclass`,
        );
        return waiting.rowCount === 1;
      });
      await consumer.query(insert.replace('4900', '20'));
      await vacuum.query('rollback');
      await vacuum.end();
      assert.equal(await adoption, 0);
    }));

  it('waits for less than five seconds if the change of the table takes longer', () =>
    besideOpen(async (consumer, connections) => {
      let waited: Promise<unknown> | undefined;
      const change = whileLocked(connections, ['dlq_events'], async () => {
        waited = consumer.query(insert);
        await connections.client.query('select pg_sleep(1)');
        await connections.client.query('select pg_sleep(30)');
      });
      await assert.rejects(
        change,
        /dlq_events took longer than 3\.5 s, 1 times, and was rolled back: the server is too busy/,
      );
      await waited;
    }));

  it('waits for less than five seconds if the process of the adoption stands still', () =>
    besideOpen(async (consumer, connections) => {
      connections.client.on('error', () => {});
      const change = whileLocked(connections, ['dlq_events'], async () => {
        await consumer.query(insert);
      });
      await assert.rejects(change, /connection|terminat/i);
    }));

  it('changes many rows in one statement without their copy', () =>
    besideOpen(async (consumer, connections) => {
      const { client } = connections;
      await begin(connections, await makePlan(client, noMapping));
      await copyRows(client, 'dlq_events', () => {});
      await consumer.query(`update dlq_events set error_reason = 'changed' where id < 1400`);
      const copied = () => client.query(`select from adopting_dlq_events where error_reason = 'changed'`);
      assert.equal((await copied()).rowCount, 0);
      assert.equal(await copyPending(client, 'dlq_events'), true);
      assert.equal((await copied()).rowCount, 1399);
    }, patient));

  it('gets the rows of a page that takes too long, which is copied in smaller ones', () =>
    besideOpen(async (_, connections) => {
      const { client } = connections;
      await begin(connections, await makePlan(client, noMapping));
      await client.query(`
        alter function adopting_copy_dlq_events(bigint[]) rename to copy_at_once;
        create sequence pages;
        create function adopting_copy_dlq_events(ids bigint[]) returns void language plpgsql as $$
        begin perform pg_sleep(case when nextval('pages') = 1 then 30 end), public.copy_at_once(ids); end $$`);
      const pages: number[] = [];
      await copyRows(client, 'dlq_events', (rows) => pages.push(rows));
      // An eighth of the first page, of 100 rows.
      assert.equal(pages[0], 13);
      assert.equal((await client.query('select from adopting_dlq_events')).rowCount, 1500);
      assert.deepEqual(
        (await readBegun(client)).map(({ rows }) => rows),
        [1500],
      );
    }, patient));
});
