import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '../../shared/database.ts';
import { DatabaseUnavailableError } from '../../shared/errors.ts';
import { useDatabase } from '../support/database.ts';
import { openDatabaseLink } from '../support/database-link.ts';
import { findFreePort } from '../support/free-port.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { waitUntil } from '../support/wait-until.ts';

const name = 'a worker';
const unavailable = { name: 'DatabaseUnavailableError', code: 'DATABASE_UNAVAILABLE' };

describe('a database', () => {
  const database = useDatabase();
  const withDatabase = async (use: (db: Database) => Promise<void>, url = database().url) => {
    const db = openDatabase({ kind: 'url', url, poolMax: 1 }, name);
    await use(db).finally(() => db.close());
  };
  const count = (condition: string) => async () => {
    const from = 'from pg_stat_activity where application_name = $1 and datname = current_database()';
    return (await database().sql(`select ${from} and ${condition}`, [name])).length;
  };
  const isBusy = async () => (await count("wait_event = 'PgSleep'")()) === 1;
  const killAll = () =>
    database().sql('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      name,
    ]);

  it('goes on by itself, after one failure at most, when its idle connections were killed', () =>
    withDatabase(async (db) => {
      await db.query({ text: 'select 1' });
      await killAll();
      await waitUntil('the connection is gone', async () => (await count('true')()) === 0);
      await db.query({ text: 'select 1' }).catch((error) => assert.equal(error.code, unavailable.code));

      assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
    }));

  it('runs a statement again that was taken back to end a deadlock', () =>
    withDatabase(async (db) => {
      await database().sql('create table numbers (id integer primary key, n integer)');
      await database().sql('insert into numbers values (1, 0), (2, 0)');
      const other = new pg.Client({ connectionString: database().url });
      await other.connect();
      await other.query('begin');
      await other.query('update numbers set n = n + 1 where id = 1');
      const adding = db.query({
        text: `with locked as materialized (select id from numbers order by id desc for update)
               update numbers set n = n + 10 from locked where numbers.id = locked.id`,
      });
      await waitUntil('it waits', async () => (await count("wait_event_type = 'Lock'")()) === 1);
      await other.query('update numbers set n = n + 1 where id = 2');
      await other.query('commit');
      await adding;
      await other.end();

      assert.deepEqual(await database().sql('select n from numbers order by id'), [{ n: 11 }, { n: 11 }]);
    }));

  it('says that it is unavailable when the connection is killed under a query, and goes on', () =>
    withDatabase(async (db) => {
      const failure = assert.rejects(db.query({ text: 'select pg_sleep(60)' }), unavailable);
      await waitUntil('the query runs', isBusy);
      await killAll();
      await failure;

      assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
    }));

  it('says that it is unavailable when the network breaks under a query, and goes on', async (context) => {
    const link = await openDatabaseLink(database().url);
    context.after(link.cut);
    await withDatabase(async (db) => {
      const failure = assert.rejects(db.query({ text: 'select pg_sleep(60)' }), unavailable);
      await waitUntil('the query runs', isBusy);
      await link.cut();
      await failure;
      await link.mend();

      assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
    }, link.url);
    await killAll();
  });

  it('that is not there is unavailable, and says what the reason was', async () => {
    const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/nothing`;

    await withDatabase(async (db) => {
      await assert.rejects(db.query({ text: 'select 1' }), (error) => {
        assert.ok(error instanceof DatabaseUnavailableError);
        return /ECONNREFUSED/.test(String((error.cause as Error).message));
      });
    }, url);
  });

  it('is unavailable when a lock is held elsewhere for too long', () =>
    withDatabase(async (db) => {
      const text = 'select pg_advisory_lock(1)';
      await db.query({ text: "set lock_timeout = '10ms'" });

      await whileTransactionIsOpen(database().url, text, () =>
        assert.rejects(db.query({ text }), unavailable),
      );
    }));

  it('tells what is wrong with a statement in its own words', () =>
    withDatabase(async (db) => {
      await assert.rejects(db.query({ text: 'select 1 / 0' }), {
        code: '22012',
        message: 'division by zero',
      });
    }));

  it('keeps the connection on which a statement was refused', () =>
    withDatabase(async (db) => {
      const pid = async () => (await db.query({ text: 'select pg_backend_pid() as pid' })).rows;
      const before = await pid();
      await assert.rejects(db.query({ text: 'select nonsense' }));

      assert.deepEqual(await pid(), before);
    }));

  it('holds no more connections than it may', () =>
    withDatabase(async (db) => {
      await Promise.all([1, 2, 3].map(() => db.query({ text: 'select 1' })));

      assert.equal(await count('true')(), 1);
    }));

  it('gives up a statement, a lock and a forgotten transaction by itself', () =>
    withDatabase(async (db) => {
      const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
      const text = `select ${names.map((each) => `current_setting('${each}') as ${each}`)}`;

      const [settings] = (await db.query({ text })).rows;
      assert.deepEqual(Object.values(settings as object), ['1min', '10s', '30s']);
    }));
});
