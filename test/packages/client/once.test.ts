import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type pg from 'pg';
import { createHandledEvents, openOnce } from '../../../packages/client/client.ts';
import { openPool, useDatabase } from '../../support/database.ts';

describe('once(eventId, handle)', () => {
  const database = useDatabase();
  let pool: pg.Pool;
  beforeEach(async () => {
    pool = openPool({ connectionString: database().url, max: 4 });
    await createHandledEvents(pool);
    await pool.query('create table charges (event_id text)');
  });
  afterEach(async () => {
    await pool.query('drop table charges, handled_events');
    await pool.end();
  });
  const once = (consumer = 'billing') => openOnce<pg.PoolClient>({ pool, consumer });
  const charge = (id: string) => (client: pg.PoolClient) =>
    client.query('insert into charges values ($1)', [id]);
  const count = async () => (await pool.query('select from charges')).rowCount;

  it('handles an event once for each consumer', async () => {
    assert.equal(await once()('e-1', charge('e-1')), true);
    assert.equal(await once()('e-1', charge('e-1')), false);
    assert.equal(await once('shipping')('e-1', charge('e-1')), true);
    assert.equal(await count(), 2);
  });

  it('handles an event once that is delivered four times at the same moment', async () => {
    const ran = await Promise.all([1, 2, 3, 4].map(() => once()('e-1', charge('e-1'))));
    assert.deepEqual(ran.sort(), [false, false, false, true]);
    assert.equal(await count(), 1);
  });

  it('undoes the changes of a handler that throws, and handles the event again', async () => {
    const broken = once()('e-1', async (client) => {
      await charge('e-1')(client);
      throw new Error('no stock');
    });
    await assert.rejects(broken, /no stock/);
    assert.equal(await count(), 0);
    assert.equal(await once()('e-1', charge('e-1')), true);
  });
});
