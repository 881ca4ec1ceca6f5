import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type CaptureDeps, capture } from '../../../functions/capture/capture.ts';
import type { Database } from '../../../shared/database/database.ts';
import { useDatabase } from '../../support/database.ts';

describe('large requests at once', () => {
  const database = useDatabase();
  /** Serves capture, and returns a function that sends a JSON message of 7 MiB. */
  const serve = async (
    context: TestContext,
    settings: Pick<CaptureDeps, 'maxWaitMs'>,
    query: Database['query'],
  ) => {
    const endpoint = capture({
      db: { ...database().db, query },
      repeatSeconds: 600,
      secrets: [],
      maxBodyBytes: 10 * 2 ** 20,
      maxStatements: 2,
      watch: (work) => work(),
      ...settings,
    });
    const server = createServer(endpoint).listen(0, '127.0.0.1');
    context.after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const headers = { 'content-type': 'application/json' };
    const text = 'x'.repeat(7 * 2 ** 20);
    return (n: number) => fetch(url, { method: 'POST', headers, body: JSON.stringify({ n, text }) });
  };

  it('are captured one after another, so that their memory does not add up', async (context) => {
    const { db } = database();
    let active = 0;
    let max = 0;
    const send = await serve(context, {}, async (each) => {
      max = Math.max(max, ++active);
      return db.query<never>(each).finally(() => --active);
    });
    const statuses = await Promise.all([1, 2].map(async (n) => (await send(n)).status));
    assert.deepEqual([statuses, max], [[200, 200], 1]);
    const stored = await database().sql('select from dlq_events where octet_length(body) > 7 * 2 ^ 20');
    assert.equal(stored.length, 2);
  });

  it('do not wait for each other without a limit', async (context) => {
    const { db } = database();
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const send = await serve(context, { maxWaitMs: 1 }, async (each) => {
      started.resolve();
      await ended.promise;
      return db.query<never>(each);
    });
    const first = send(11);
    await started.promise;
    const second = await send(12);
    assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '5']);
    ended.resolve();
    assert.equal((await first).status, 200);
  });
});
