import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetCounts } from '../../../functions/maintain/forget-counts.ts';
import { foldCounts } from '../../../shared/fold-counts.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('what is long past', () => {
  const database = useDatabase();
  const sql = (text: string) => database().sql(text);

  it('is forgotten hour by hour, but for what is younger than 400 days', async () => {
    await sql(
      `insert into dlq_counts select now() - n * interval '100 days', 'a', '', 1, 0, 0, 0, 0, 0 from generate_series(1, 6) n`,
    );

    assert.equal((await forgetCounts(database().db)).hours, 3);
    assert.deepEqual(await sql('select count(*)::int as hours from dlq_counts'), [{ hours: 3 }]);
  });

  it('is forgotten of what was summed up by hour and by day', async () => {
    await sql(
      `insert into dlq_hour_counts select now() - n * interval '100 days', 1, 0, 0, 0, 0, 0 from generate_series(1, 6) n`,
    );
    await sql(
      `insert into dlq_day_counts select now() - n * interval '100 days', 'v1:a', 1 from generate_series(1, 6) n`,
    );
    await forgetCounts(database().db);

    assert.deepEqual(
      await sql(
        'select (select count(*)::int from dlq_hour_counts) as hours, (select count(*)::int from dlq_day_counts) as days',
      ),
      [{ hours: 3, days: 3 }],
    );
  });

  it('is forgotten of error groups that have no events and that nobody said anything of', async () => {
    await anEvent(database(), { fingerprint: 'v1:with-events' });
    await foldCounts(database().db);
    await sql(
      `insert into dlq_error_groups (fingerprint, first_seen_at, last_seen_at, failures, note, state) values
         ('v1:young', now(), now(), 1, null, 'OPEN'), ('v1:old', '2020-01-01', '2020-01-01', 1, null, 'OPEN'),
         ('v1:noted', '2020-01-01', '2020-01-01', 1, 'see #7', 'OPEN'),
         ('v1:resolved', '2020-01-01', '2020-01-01', 1, null, 'RESOLVED')`,
    );
    await sql(
      `update dlq_error_groups set first_seen_at = '2020-01-01', last_seen_at = '2020-01-01' where fingerprint = 'v1:with-events'`,
    );

    assert.equal((await forgetCounts(database().db)).groups, 1);
    assert.deepEqual(await sql(`select from dlq_error_groups where fingerprint = 'v1:old'`), []);
  });

  it('is forgotten of error groups whose events have all gone', async () => {
    await anEvent(database(), { fingerprint: 'v1:gone' });
    await sql(`delete from dlq_events where fingerprint = 'v1:gone'`);
    await foldCounts(database().db);

    assert.equal((await forgetCounts(database().db)).totals, 1);
  });
});
