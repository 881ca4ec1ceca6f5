import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { capture } from '../../../functions/capture/capture.ts';
import type { Database } from '../../../shared/database/database.ts';
import { useDatabase } from '../../support/database.ts';

describe('large requests at once', () => {
  const database = useDatabase();

  it('are captured one after another, so that their memory does not add up', async () => {
    const { db } = database();
    let active = 0;
    let max = 0;
    const query: Database['query'] = async (each) => {
      max = Math.max(max, ++active);
      return db.query<never>(each).finally(() => --active);
    };
    const endpoint = capture({
      db: { ...db, query },
      maxRecurrences: 10,
      repeatSeconds: 600,
      secrets: [],
      maxBodyBytes: 10 * 2 ** 20,
      maxStatements: 2,
      watch: (work) => work(),
    });
    const server = createServer(endpoint).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const headers = { 'content-type': 'application/json' };
    const statuses = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const body = JSON.stringify({ n, text: 'x'.repeat(7 * 2 ** 20) });
        return (await fetch(url, { method: 'POST', headers, body })).status;
      }),
    );
    server.close();
    assert.deepEqual([statuses, max], [[200, 200, 200], 1]);
  });
});
