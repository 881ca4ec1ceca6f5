import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { readConfig } from '../../../shared/environment/config.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';

describe('a listener on the channel dlq_events', () => {
  const database = useDatabase();

  /** Returns the notifications caused by `work` on a database that was opened from the configuration. */
  const collect = async (env: { NOTIFY?: string }, work: (db: Database) => Promise<unknown>) => {
    const received: string[] = [];
    const listener = new pg.Client({ connectionString: database().url });
    await listener.connect();
    listener.on('notification', ({ channel, payload = '' }) => received.push(`${channel} ${payload}`));
    await listener.query('listen dlq_events');
    const db = openDatabase(readConfig({ DATABASE_URL: database().url, ...env }).database, 'test');
    try {
      await work(db);
      // Notifications arrive before the response to a query that was sent after their commit.
      await listener.query('select');
    } finally {
      await db.close();
      await listener.end();
    }
    return received;
  };
  const capture = (db: Database) =>
    storeCaptures(
      { db, repeatSeconds: 600 },
      [1, 2, 3].map((id) => aCapture({ eventKey: `id:${id}` })),
    );

  it('receives no notification without NOTIFY', async () => {
    assert.deepEqual(await collect({}, capture), []);
    assert.deepEqual(
      await collect({ NOTIFY: 'false' }, (db) => db.query({ text: 'delete from dlq_events' })),
      [],
    );
  });

  it('receives one notification per statement that changes counts', async () => {
    assert.deepEqual(await collect({ NOTIFY: 'true' }, capture), ['dlq_events ']);
  });

  it('receives no notification for a statement that changed no count', async () => {
    assert.deepEqual(
      await collect({ NOTIFY: 'true' }, (db) => db.query({ text: 'update dlq_events set priority = 1' })),
      [],
    );
  });
});
