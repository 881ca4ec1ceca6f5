import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase, within } from '../../../shared/database/database.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import { useDatabase } from '../../support/database.ts';
import { findFreePort } from '../../support/free-port.ts';
import { readLog } from '../../support/log-lines.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { waitUntil } from '../../support/wait-until.ts';

const name = 'a worker';
const unavailable = { name: 'DatabaseUnavailableError', code: 'DATABASE_UNAVAILABLE' };

const withUser = (url: string, user: string) => Object.assign(new URL(url), { username: user }).href;

describe('a database', () => {
  const database = useDatabase();
  const withDatabase = async (use: (db: Database) => Promise<void>, url = database().url) => {
    await waitUntil('no connection of another test is left', async () => (await count('true')()) === 0);
    const db = openDatabase({ kind: 'url', url, poolMax: 1 }, name);
    await use(db).finally(() => db.close());
  };
  const count = (condition: string) => async () => {
    const from = 'from pg_stat_activity where application_name = $1 and datname = current_database()';
    return (await database().sql(`select ${from} and ${condition}`, [name])).length;
  };
  const isBusy = async () => (await count("wait_event = 'PgSleep'")()) === 1;
  const killAll = () =>
    database().sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = $1 and datname = current_database()`,
      [name],
    );

  it('reconnects after at most one failure when its idle connections were killed', () =>
    withDatabase(async (db) => {
      await db.query({ text: 'select 1' });
      await killAll();
      await waitUntil('the connection is gone', async () => (await count('true')()) === 0);
      await db.query({ text: 'select 1' }).catch((error) => assert.equal(error.code, unavailable.code));

      assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
    }));

  it('retries a statement that PostgreSQL rolled back to end a deadlock', () =>
    withDatabase(async (db) => {
      await database().sql('create table numbers (id integer primary key, n integer)');
      await database().sql('insert into numbers values (1, 0), (2, 0), (3, 0)');
      const gate = new pg.Client({ connectionString: database().url });
      const other = new pg.Client({ connectionString: database().url });
      await Promise.all([gate.connect(), other.connect()]);
      await gate.query('begin; update numbers set n = n + 1 where id = 2');
      // PostgreSQL rolls back the statement whose deadlock timeout ends first: here never that of other.
      await other.query("set deadlock_timeout = '1h'; begin; update numbers set n = n + 1 where id = 1");
      const adding = db.query({
        text: `with locked as materialized (select id from numbers order by id desc for update)
               update numbers set n = n + 10 from locked where numbers.id = locked.id`,
      });
      await waitUntil('it waits for row 2', async () => (await count("wait_event_type = 'Lock'")()) === 1);
      const closing = other.query('update numbers set n = n + 1 where id = 3');
      const waiting = `select from pg_stat_activity
                        where wait_event_type = 'Lock' and datname = current_database()`;
      await waitUntil('both wait', async () => (await database().sql(waiting)).length === 2);
      await gate.query('commit');
      await closing;
      await other.query('commit');
      await adding;
      await Promise.all([gate.end(), other.end()]);

      const rows = await database().sql('select n from numbers order by id');
      assert.deepEqual(rows, [{ n: 11 }, { n: 11 }, { n: 11 }]);
    }));

  it('throws DatabaseUnavailableError when the connection is killed during a query, and reconnects', () =>
    withDatabase(async (db) => {
      const failure = assert.rejects(db.query({ text: 'select pg_sleep(60)' }), unavailable);
      await waitUntil('the query runs', isBusy);
      await killAll();
      await failure;

      assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
    }));

  it('throws DatabaseUnavailableError with the reason if it cannot be reached', async () => {
    const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/nothing`;

    await withDatabase(async (db) => {
      await assert.rejects(db.query({ text: 'select 1' }), (error) => {
        assert.ok(error instanceof DatabaseUnavailableError);
        return /ECONNREFUSED/.test(String((error.cause as Error).message));
      });
    }, url);
  });

  it('throws DatabaseUnavailableError after the lock timeout', () =>
    withDatabase(async (db) => {
      const text = 'select pg_advisory_lock(1)';
      await db.query({ text: "set lock_timeout = '10ms'" });

      await whileTransactionIsOpen(database().url, text, () =>
        assert.rejects(db.query({ text }), unavailable),
      );
    }));

  it('ends a statement on the server soon after its deadline', () =>
    withDatabase(async (db) => {
      await assert.rejects(within(db, 100).query({ text: 'select pg_sleep(60)' }), unavailable);

      await waitUntil('the statement is cancelled', async () => !(await isBusy()));
    }));

  for (const [state, meaning] of Object.entries({
    '57014': 'that was cancelled',
    '25006': 'that meets a read-only database',
    '53100': 'that finds no space on the disk',
    '58030': 'that meets an I/O error',
    '57P05': 'whose session was idle for too long',
    '25P04': 'whose transaction took too long',
    '55000': 'that meets a table which is not ready for it',
    '42501': 'whose right is not granted yet',
    '42703': 'whose column no migration has added yet',
    XX001: 'that meets corrupted data',
  })) {
    it(`throws DatabaseUnavailableError for a statement ${meaning}`, () =>
      withDatabase(async (db) => {
        const text = `do $$ begin raise exception 'no' using errcode = '${state}'; end $$`;
        await assert.rejects(db.query({ text }), unavailable);
      }));
  }

  it('names a full disk', () =>
    withDatabase(async (db) => {
      const text = `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
      await assert.rejects(db.query({ text }), { message: /^The disk of the database is full\. / });
    }));

  it('logs each statement with its time, and not its values, with LOG_SQL', async () => {
    const db = openDatabase({ kind: 'url', url: database().url, poolMax: 1, logSql: true }, name);
    const lines = await readLog(async () => {
      await db.query({ text: 'select $1::text\n as value', values: ['s3cret'] });
      await db.query({ name: 'find-nothing', text: 'select' });
    }).finally(() => db.close());

    const [first, second] = lines.map(({ message }) => String(message));
    assert.match(first ?? '', /^\d+\.\d ms {2}select \$1::text as value$/);
    assert.match(second ?? '', /^\d+\.\d ms {2}find-nothing\.sql$/);
  });

  it('discards the connections to a primary that was demoted', () =>
    withDatabase(async (db) => {
      const pid = async () => (await db.query({ text: 'select pg_backend_pid() as pid' })).rows;
      const before = await pid();
      await db.query({ text: 'set default_transaction_read_only = on' });
      await assert.rejects(db.query({ text: 'create table made (n integer)' }), unavailable);

      assert.notDeepEqual(await pid(), before);
      await db.query({ text: 'create table made (n integer)' });
    }));

  it('throws DatabaseUnavailableError while PostgreSQL rejects its login', () =>
    withDatabase(
      async (db) => {
        await assert.rejects(db.query({ text: 'select 1' }), unavailable);
      },
      withUser(database().url, 'nobody'),
    ));

  it('throws DatabaseUnavailableError when no connection is free in time', async () => {
    const db = openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, name, {
      statementMs: 60_000,
      lockMs: 1000,
      connectMs: 2000,
    });
    await db.query({ text: 'select' });
    const busy = assert.rejects(db.query({ text: 'select pg_sleep(600)' }));
    await assert.rejects(db.query({ text: 'select 1' }), unavailable);
    await database().sql('select pg_cancel_backend(pid) from pg_stat_activity where application_name = $1', [
      name,
    ]);
    await busy;
    await db.close();
  });

  it('throws the error of PostgreSQL for a wrong statement', () =>
    withDatabase(async (db) => {
      await assert.rejects(db.query({ text: 'select 1 / 0' }), {
        code: '22012',
        message: 'division by zero',
      });
    }));

  it('keeps the connection on which a statement failed', () =>
    withDatabase(async (db) => {
      const pid = async () => (await db.query({ text: 'select pg_backend_pid() as pid' })).rows;
      const before = await pid();
      await assert.rejects(db.query({ text: 'select nonsense' }));

      assert.deepEqual(await pid(), before);
    }));

  it('opens no more connections than poolMax', () =>
    withDatabase(async (db) => {
      await Promise.all([1, 2, 3].map(() => db.query({ text: 'select 1' })));

      assert.equal(await count('true')(), 1);
    }));

  it('has timeouts for statements, locks and idle transactions', () =>
    withDatabase(async (db) => {
      const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
      const text = `select ${names.map((each) => `current_setting('${each}') as ${each}`)}`;

      const [settings] = (await db.query({ text })).rows;
      assert.deepEqual(Object.values(settings as object), ['1min', '5s', '30s']);
    }));

  it('compiles no statement, whatever the server would do', () =>
    withDatabase(async (db) => {
      const text = "select setting, source from pg_settings where name = 'jit'";
      assert.deepEqual((await db.query({ text })).rows, [{ setting: 'off', source: 'client' }]);
    }));

  it('announces to the triggers that it computes fingerprints, and notifications only on request', async () => {
    for (const notify of [false, true]) {
      const db = openDatabase({ kind: 'url', url: database().url, poolMax: 1, notify }, name);
      const text = `select current_setting('dlo.writes_complete_rows', true) as computes, current_setting('dlo.notify', true) as notifies`;
      const { rows } = await db.query({ text }).finally(() => db.close());

      assert.deepEqual(rows, [{ computes: 'on', notifies: notify ? 'on' : null }]);
    }
  });
});
