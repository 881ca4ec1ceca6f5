import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aggregateCounts } from '../../../shared/counts/aggregate-counts.ts';
import type { Database } from '../../../shared/database/database.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the counts', () => {
  const database = useDatabase();

  it('are aggregated up to 20,000 deltas at once: each batch updates the same sums', async () => {
    await anEvent(database());
    await database().sql(
      'insert into dlq_count_deltas select delta.* from dlq_count_deltas as delta, generate_series(1, 14999)',
    );
    let statements = 0;
    const { db } = database();
    const query: Database['query'] = (each) => {
      statements += 1;
      return db.query(each);
    };
    assert.deepEqual([await aggregateCounts({ ...db, query }), statements], [15_000, 1]);
  });

  for (const [what, sql] of [
    ['inserts', 'select'],
    ['moves to another group', "update dlq_events set fingerprint = 'v1:b'"],
    [
      'gathers in one group',
      `update dlq_events set fingerprint = 'v1:c' where id % 2 = 0; update dlq_events set fingerprint = 'v1:b'`,
    ],
  ] as const)
    it(`have the first and the last failure and the latest of the events that one statement ${what}`, async () => {
      await database().clear();
      await database().sql(
        `insert into dlq_events (event_type, payload, fingerprint, created_at, first_failure_at, last_failure_at)
         select 'order.created', '{}', 'v1:a', at, at - interval '1 day', at - interval '1 day'
         from unnest('{2026-01-01T10:05Z,2026-01-01T10:01Z,2026-01-01T10:09Z,2026-01-01T10:03Z}'::timestamptz[]) as at`,
      );
      await database().sql(sql);
      await aggregateCounts(database().db);
      const groups = await database().sql(
        `select first_seen_at, last_seen_at, sample_event_id = (select max(id) from dlq_events) as is_latest
         from dlq_error_groups where fingerprint = (select min(fingerprint) from dlq_events)`,
      );
      const [first, last] = [new Date('2026-01-01T10:01Z'), new Date('2026-01-01T10:09Z')];
      assert.deepEqual(groups, [{ first_seen_at: first, last_seen_at: last, is_latest: true }]);
    });

  it('have a capture that has recurred in the hour of its last failure', async () => {
    await database().clear();
    const times = { created_at: '2026-01-01T10:00Z', first_failure_at: '2026-01-01T10:00Z' };
    await anEvent(database(), { ...times, last_failure_at: '2026-01-01T12:00Z', failure_count: 3 });
    const hours = await database().sql(
      `select hour, captures::int, recurrences::int from dlq_counts_by_hour where captures + recurrences > 0`,
    );
    assert.deepEqual(hours, [{ hour: new Date('2026-01-01T12:00Z'), captures: 1, recurrences: 2 }]);
  });

  it('have a recurrence in its own hour, and not in that of the capture', async () => {
    await database().clear();
    const at = '2026-01-01T10:00Z';
    await anEvent(database(), { created_at: at, first_failure_at: at, last_failure_at: at });
    await database().sql(`update dlq_events set failure_count = 2, last_failure_at = '2026-01-01T15:00Z'`);
    const hours = await database().sql(
      `select hour, captures::int, recurrences::int from dlq_counts_by_hour
       where captures + recurrences > 0 order by hour`,
    );
    assert.deepEqual(hours, [
      { hour: new Date(at), captures: 1, recurrences: 0 },
      { hour: new Date('2026-01-01T15:00Z'), captures: 0, recurrences: 1 },
    ]);
  });
});
