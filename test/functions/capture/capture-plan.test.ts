import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeCaptures } from '../../../functions/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';

describe('a capture, on a connection that made its plan while there were no events,', () => {
  const database = useDatabase();
  let db: Database;
  before(() => {
    db = openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, 'test');
  });
  after(() => db.close());

  const store = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await storeCaptures({ db, maxReturns: 3 }, [aCapture({ redeliveredId: String(i) })]);
    }
  };
  /** Counted by each connection for itself, and told when it is asked. */
  const countRowsRead = async () => {
    await db.query({ text: 'select pg_stat_force_next_flush()' });
    const text = `select seq_tup_read::int as rows from pg_stat_user_tables where relname = 'dlq_events'`;
    return (await db.query<{ rows: number }>({ text })).rows[0]?.rows;
  };

  it('does not read all those that came since, not even to find one that it names', async () => {
    await store(10);
    await manyEvents(database(), 1000);
    const before = await countRowsRead();
    await store(10);
    assert.equal(await countRowsRead(), before);
  });
});
