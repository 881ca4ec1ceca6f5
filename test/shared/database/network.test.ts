import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openDatabase, within } from '../../../shared/database/database.ts';
import type { Timeouts } from '../../../shared/database/pool.ts';
import { useDatabase } from '../../support/database.ts';
import { openDatabaseLink } from '../../support/database-link.ts';
import { waitUntil } from '../../support/wait-until.ts';

const name = 'a worker';
const unavailable = { name: 'DatabaseUnavailableError', code: 'DATABASE_UNAVAILABLE' };

describe('a database behind a network that fails', () => {
  const database = useDatabase();
  const open = async (context: TestContext, poolMax: number, timeouts?: Timeouts) => {
    const link = await openDatabaseLink(database().url);
    const db = openDatabase({ kind: 'url', url: link.url, poolMax }, name, timeouts);
    context.after(async () => {
      await db.close();
      await link.cut();
    });
    return { db, link };
  };
  const sleeping = `from pg_stat_activity
                   where application_name = $1 and datname = current_database() and wait_event = 'PgSleep'`;

  it('throws DatabaseUnavailableError when the network breaks during a query, and reconnects', async (context) => {
    const { db, link } = await open(context, 1);
    const failure = assert.rejects(db.query({ text: 'select pg_sleep(60)' }), unavailable);
    await waitUntil('the query runs', async () =>
      Boolean((await database().sql(`select ${sleeping}`, [name])).length),
    );
    await link.cut();
    await failure;
    await link.mend();

    assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
    await database().sql(`select pg_terminate_backend(pid) ${sleeping}`, [name]);
  });

  it('throws DatabaseUnavailableError at its deadline when the server is silent, and reconnects', async (context) => {
    const { db, link } = await open(context, 1);
    await db.query({ text: 'select 1' });
    link.freeze();
    await assert.rejects(within(db, 100).query({ text: 'select 1' }), unavailable);

    assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
  });

  it('waits for one deadline only when all its connections are silent', async (context) => {
    const { db, link } = await open(context, 4);
    await Promise.all([1, 2, 3, 4].map(() => db.query({ text: 'select pg_sleep(0.05)' })));
    link.freeze();
    await assert.rejects(within(db, 100).query({ text: 'select 1' }), unavailable);

    await Promise.all([1, 2, 3, 4].map(() => within(db, 60_000).query({ text: 'select pg_sleep(0.05)' })));
  });

  it('sends a statement on another connection if the first one broke before it was sent', async (context) => {
    const { db, link } = await open(context, 2);
    link.breakNext();

    assert.deepEqual((await db.query({ text: 'select 2 as two' })).rows, [{ two: 2 }]);
  });
});
