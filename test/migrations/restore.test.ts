import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('dlq_restore_events(ids)', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const everyColumn = {
    status: 'FAILED_PERMANENTLY',
    event_key: 'key:1',
    event_id: 'id-1',
    arrival: { delivery_id: 'delivery-1' },
    content_type: 'application/json',
    headers: '{"a": "b"}',
    source_topic: 'orders',
    source_partition: 3,
    source_offset: 4,
    source_key: 'k',
    source_subscription: 's',
    consumer_group: 'g',
    source_attempts: 5,
    trace_id: 't',
    metadata: '{"m": 1}',
    occurred_at: '2026-01-01',
    error_stacktrace: 'at line 1',
    error_class: 'Timeout',
    failure_kind: 'permanent',
    fingerprint: 'f',
    priority: 7,
    max_retries: 8,
    retry_count: 9,
    failure_count: 2,
  };
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const archive = () =>
    sql(
      `with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved`,
    );

  beforeEach(() => database().clear());

  it('restores every column of an archived event', async () => {
    const id = await anEvent(database(), everyColumn);
    const before = await sql('select * from dlq_events');
    await archive();
    assert.deepEqual(await sql('select dlq_restore_events(array[$1::bigint]) as id', [id]), [{ id }]);
    const [{ reopened_at, ...restored } = { reopened_at: null }] = await sql('select * from dlq_events');
    assert.deepEqual([reopened_at instanceof Date, { ...restored, reopened_at: null }], [true, before[0]]);
    assert.deepEqual(await sql('select * from dlq_events_archive'), []);
  });

  it('restores a column that was added to dlq_events and its archive', async () => {
    await sql('alter table dlq_events add tenant text; alter table dlq_events_archive add tenant text');
    const id = await anEvent(database(), { tenant: 'acme' });
    await archive();
    await sql('select dlq_restore_events(array[$1::bigint])', [id]);
    assert.deepEqual(await sql('select tenant from dlq_events'), [{ tenant: 'acme' }]);
  });

  it('keeps an event in the archive that was captured again', async () => {
    const id = await anEvent(database(), everyColumn);
    await archive();
    await anEvent(database(), { event_key: everyColumn.event_key });
    assert.deepEqual(await sql('select dlq_restore_events(array[$1::bigint]) as id', [id]), []);
    assert.equal((await sql('select * from dlq_events_archive')).length, 1);
  });

  it('keeps an event in the archive that is captured again at the same moment', async () => {
    const id = await anEvent(database(), everyColumn);
    await archive();
    const capture = `insert into dlq_events (event_type, payload, event_key) values ('a', '{}', 'key:1')`;
    await whileTransactionIsOpen(database().url, capture, async (commit) => {
      const restoring = sql('select dlq_restore_events(array[$1::bigint]) as id', [id]);
      await waitUntil('the restore waits', async () => (await sql(waiting)).length > 0);
      await commit();
      assert.deepEqual(await restoring, []);
    });
    assert.deepEqual(await sql('select id from dlq_events_archive'), [{ id }]);
  });

  it('restores an event once, however many ask at once', async () => {
    const id = await anEvent(database(), everyColumn);
    await archive();
    const restores = Array.from({ length: 5 }, () =>
      sql('select dlq_restore_events(array[$1::bigint]) as id', [id]),
    );
    assert.deepEqual((await Promise.all(restores)).flat(), [{ id }]);
    assert.deepEqual(await sql('select id from dlq_events_archive'), []);
  });
});
