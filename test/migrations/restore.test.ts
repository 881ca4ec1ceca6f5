import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

describe('dlq_restore_events(ids)', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const everyColumn = {
    status: 'FAILED_PERMANENTLY',
    event_key: 'key:1',
    event_id: 'id-1',
    delivery_id: 'delivery-1',
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
  const archive = () =>
    sql(
      `with moved as (delete from dlq_events returning *) insert into dlq_events_archive select * from moved`,
    );

  beforeEach(() => sql('truncate dlq_events, dlq_events_archive'));

  it('restores every column of an archived event', async () => {
    const id = await anEvent(database(), everyColumn);
    const before = await sql('select * from dlq_events');
    await archive();
    assert.deepEqual(await sql('select dlq_restore_events(array[$1::bigint]) as id', [id]), [{ id }]);
    assert.deepEqual(await sql('select * from dlq_events'), before);
    assert.deepEqual(await sql('select * from dlq_events_archive'), []);
  });

  it('restores all columns of dlq_events', async () => {
    const [restore] = await sql(`select pg_get_functiondef('dlq_restore_events'::regproc) as text`);
    const columns = await sql(
      `select attname as name from pg_attribute
       where attrelid = 'dlq_events'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    );
    const missing = columns.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(`${restore?.text}`));
    assert.deepEqual(missing, []);
  });

  it('keeps an event in the archive that was captured again', async () => {
    const id = await anEvent(database(), everyColumn);
    await archive();
    await anEvent(database(), { event_key: everyColumn.event_key });
    assert.deepEqual(await sql('select dlq_restore_events(array[$1::bigint]) as id', [id]), []);
    assert.equal((await sql('select * from dlq_events_archive')).length, 1);
  });
});
