import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { storeCaptures } from '../../functions/capture/store-captures.ts';
import { readConfig } from '../../shared/config.ts';
import { type Database, openDatabase } from '../../shared/database.ts';
import { aCapture } from '../support/captures.ts';
import { useDatabase } from '../support/database.ts';

describe('a listener', () => {
  const database = useDatabase();

  /** What is heard of some work on a database that was opened by the configuration. */
  const hear = async (env: { NOTIFY?: string }, work: (db: Database) => Promise<unknown>) => {
    const heard: string[] = [];
    const listener = new pg.Client({ connectionString: database().url });
    await listener.connect();
    listener.on('notification', ({ channel, payload = '' }) => heard.push(`${channel} ${payload}`));
    await listener.query('listen dlq_events');
    const db = openDatabase(readConfig({ DATABASE_URL: database().url, ...env }).database, 'test');
    try {
      await work(db);
      // Notifications come before the answer to a query that was sent after their commit.
      await listener.query('select');
    } finally {
      await db.close();
      await listener.end();
    }
    return heard;
  };
  const capture = (db: Database) =>
    storeCaptures(
      { db, maxReturns: 3 },
      [1, 2, 3].map((id) => aCapture({ eventKey: `id:${id}` })),
    );

  it('hears nothing unless it was asked for', async () => {
    assert.deepEqual(await hear({}, capture), []);
    assert.deepEqual(
      await hear({ NOTIFY: 'false' }, (db) => db.query({ text: 'delete from dlq_events' })),
      [],
    );
  });

  it('hears once of each statement, in numbers', async () => {
    assert.deepEqual(await hear({ NOTIFY: 'true' }, capture), [
      'dlq_events {"captures":3,"returns":0,"retry_failures":0,"deliveries":0,"permanent_failures":0,"discards":0}',
    ]);
  });

  it('hears nothing of a statement that counted nothing', async () => {
    assert.deepEqual(
      await hear({ NOTIFY: 'true' }, (db) => db.query({ text: 'update dlq_events set priority = 1' })),
      [],
    );
  });
});
