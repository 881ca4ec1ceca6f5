import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { type Database, openDatabase } from '../../../shared/database/database.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { manyEvents } from '../../support/factories.ts';

describe('a capture on a connection that planned it on an empty table', () => {
  const database = useDatabase();
  let db: Database;
  before(() => {
    db = openDatabase({ kind: 'url', url: database().url, poolMax: 1 }, 'test');
  });
  after(() => db.close());

  const store = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await storeCaptures({ db, repeatSeconds: 600 }, [
        aCapture({
          eventKey: `id:${i}@billing`,
          consumerGroup: 'billing',
          redelivery: `${i}.${'0'.repeat(32)}`,
        }),
      ]);
    }
  };
  /** Each connection counts for itself, and reports after the flush. */
  const countRowsRead = async () => {
    await db.query({ text: 'select pg_stat_force_next_flush()' });
    const text = `select seq_tup_read::int as rows from pg_stat_user_tables where relname = 'dlq_events'`;
    return (await db.query<{ rows: number }>({ text })).rows[0]?.rows;
  };

  it('reads no other events of a table that has grown, with or without a redelivered id', async () => {
    await store(10);
    await manyEvents(database(), 1000);
    const before = await countRowsRead();
    await store(10);
    assert.equal(await countRowsRead(), before);
  });

  it('reads no events whose id only begins with its own', async () => {
    await database().sql(
      `insert into dlq_events (event_key, event_type, payload, id_hashes)
       select 'id:1' || i, 'order', '{}', '' from generate_series(1, 5000) as i`,
    );
    const countIndexed = async () => {
      await db.query({ text: 'select pg_stat_force_next_flush()' });
      const text = `select idx_tup_read::int as rows from pg_stat_user_indexes where indexrelname = 'dlq_events_event_key'`;
      return (await db.query<{ rows: number }>({ text })).rows[0]?.rows ?? 0;
    };
    const before = await countIndexed();
    await storeCaptures({ db, repeatSeconds: 600 }, [aCapture({ eventKey: 'id:1' })]);

    assert.ok((await countIndexed()) - before < 10);
  });
});
