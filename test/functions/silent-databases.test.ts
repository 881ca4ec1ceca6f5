import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { unlessSilent } from '../../functions/health.ts';
import { openDatabase, type Query } from '../../shared/database/database.ts';
import { useDatabase } from '../support/database.ts';
import { serveFunction } from '../support/framework.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('a database that accepts connections and answers nothing', () => {
  for (const [name, path, says] of [
    ['console', '/', /The database is unavailable.*Check that PostgreSQL runs.*Activity/s],
    ['replay', '/events', /The database is unavailable/],
  ] as const)
    it(`is known to ${name} before the wait for a connection ends`, async (context) => {
      let isGivenUp = false;
      const silent = createServer((socket) => {
        socket
          .resume()
          .on('close', () => (isGivenUp = true))
          .on('error', () => {});
      });
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as AddressInfo;
      const env = { DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/dlq`, ROUTES: '[]', LOCAL_CALLER: 'ada' };
      const { url, stop } = await serveFunction(name, env);
      context.after(stop);
      context.after(() => silent.close());
      const response = await fetch(new URL(path, url));
      assert.equal(response.status, 503);
      assert.match(await response.text(), says);
      assert.equal(isGivenUp, false);
    });
});

describe('a database that answers nothing', () => {
  for (const [name, method, path, connections] of [
    // A recovery, and the aggregations of counts at the beginning and after 5 s.
    ['retry', 'POST', '/', 3],
    ['maintain', 'POST', '/metrics', 1],
    ['maintain', 'GET', '/metrics', 1],
  ] as const)
    it(`is asked no second time by ${method} ${path} of ${name}, which answers 503`, async (context) => {
      let asked = 0;
      const silent = createServer((socket) => {
        asked += 1;
        socket.resume().on('error', () => {});
      });
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as AddressInfo;
      const env = { DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/dlq`, ROUTES: '[]' };
      const { url, stop } = await serveFunction(name, env);
      context.after(stop);
      context.after(() => silent.close());
      const { status, headers } = await fetch(new URL(path, url), { method });
      assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
      assert.ok(asked <= connections, `${asked} connections`);
    });
});

describe('a database whose statements wait', () => {
  const database = useDatabase();

  it('is waited for, however many of them there are for its connections', async (context) => {
    const timeouts = { statementMs: 600_000, lockMs: 600_000, connectMs: 10_000 };
    const db = openDatabase({ kind: 'url', url: database().url, poolMax: 2 }, 'test', timeouts);
    context.after(db.close);
    let probed = 0;
    const query = <Row>(asked: Query) => {
      if (asked.text === 'select') probed += 1;
      return db.query<Row>(asked);
    };
    const patient = unlessSilent({ ...db, query }, 2, 1000);
    await whileTransactionIsOpen(database().url, 'lock table dlq_jobs', async (commit) => {
      const statements = Array.from({ length: 3 }, () =>
        patient.query({ text: 'select count(*) from dlq_jobs' }),
      );
      await waitUntil('a second probe', () => probed === 2);
      await commit();
      assert.equal((await Promise.all(statements)).length, 3);
    });
  });
});
