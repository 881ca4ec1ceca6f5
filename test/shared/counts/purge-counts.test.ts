import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import { purgeCounts } from '../../../shared/counts/purge-counts.ts';
import { purgeBreakerChanges } from '../../../shared/delivery/breakers.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { actAs } from '../../support/roles.ts';

describe('the purge of the history of breakers', () => {
  const database = useDatabase();

  it('deletes changes that are older than 400 days, with the rights of maintain', async () => {
    await database().sql(
      `insert into dlq_breaker_changes (target, at, state) select 'http://shop/', now() - n * interval '100 days', 'OPEN' from generate_series(1, 6) n`,
    );
    await actAs('dlq_maintain', database(), {
      work: async (db) => assert.deepEqual(await purgeBreakerChanges(db), { changes: 3 }),
    });
  });
});

describe('the purge of counts', () => {
  const database = useDatabase();
  const sql = (text: string) => database().sql(text);

  it('deletes hours that are older than 400 days', async () => {
    await sql(
      `insert into dlq_counts_hourly select now() - n * interval '100 days', 'a', '', 1, 0, 0, 0, 0, 0 from generate_series(1, 6) n`,
    );

    assert.equal((await purgeCounts(database().db)).hours, 3);
    assert.deepEqual(await sql('select count(*)::int as hours from dlq_counts_hourly'), [{ hours: 3 }]);
  });

  it('deletes sums by hour and by day that are older than 400 days', async () => {
    await sql(
      `insert into dlq_counts_hourly_totals select now() - n * interval '100 days', 1, 0, 0, 0, 0, 0 from generate_series(1, 6) n`,
    );
    await sql(
      `insert into dlq_counts_daily select now() - n * interval '100 days', 'v1:a', 1 from generate_series(1, 6) n`,
    );
    await purgeCounts(database().db);

    assert.deepEqual(
      await sql(
        'select (select count(*)::int from dlq_counts_hourly_totals) as hours, (select count(*)::int from dlq_counts_daily) as days',
      ),
      [{ hours: 3, days: 3 }],
    );
  });

  it('deletes old error groups without events that no operator changed', async () => {
    await anEvent(database(), { fingerprint: 'v1:with-events' });
    await aggregateCounts(database().db);
    await sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, failures, note, state) values
         ('v1:young', now(), now(), 1, null, 'OPEN'), ('v1:old', '2020-01-01', '2020-01-01', 1, null, 'OPEN'),
         ('v1:noted', '2020-01-01', '2020-01-01', 1, 'see #7', 'OPEN'),
         ('v1:resolved', '2020-01-01', '2020-01-01', 1, null, 'RESOLVED')`,
    );
    await sql(
      `update dlq_error_groups set first_seen_at = '2020-01-01', last_seen_at = '2020-01-01' where fingerprint = 'v1:with-events'`,
    );

    assert.equal((await purgeCounts(database().db)).groups, 1);
    assert.deepEqual(await sql(`select from dlq_error_groups where fingerprint = 'v1:old'`), []);
  });

  it('deletes current counts that are zero', async () => {
    await anEvent(database(), { fingerprint: 'v1:gone' });
    await aggregateCounts(database().db);
    await sql(`delete from dlq_events where fingerprint = 'v1:gone'`);
    await aggregateCounts(database().db);

    assert.equal((await purgeCounts(database().db)).totals, 1);
  });
});
