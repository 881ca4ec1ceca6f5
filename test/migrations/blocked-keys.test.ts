import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { someEvents } from '../support/factories.ts';

describe('the view of blocked keys', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const view = (name: string, columns: string) => sql(`select ${columns} from ${name}`);
  beforeEach(() => database().clear());

  it('shows keys and the event that blocks them', async () => {
    const [head] = await someEvents(
      database(),
      { source_key: 'cust-1', status: 'FAILED_PERMANENTLY' },
      { source_key: 'cust-1' },
      { source_key: 'cust-1' },
      { source_key: 'cust-2' },
      { source_key: 'cust-3', status: 'SUCCEEDED' },
      { source_key: 'cust-3' },
    );

    assert.deepEqual(await view('dlq_blocked_keys', 'source_key, blocked_by, status, waiting::int'), [
      { source_key: 'cust-1', blocked_by: head, status: 'FAILED_PERMANENTLY', waiting: 2 },
    ]);
  });

  it('counts those behind an open event of their consumer, the most first', async () => {
    const of = (source_key: string, consumer: string) => ({ source_key, source_subscription: consumer });
    await someEvents(database(), of('one', 'a'), of('one', 'a'), of('one', 'a'));
    await someEvents(database(), of('two', 'a'), of('two', 'a'), of('two', 'a'), of('two', 'a'));
    await someEvents(database(), of('apart', 'a'), of('apart', 'b'), of('untold', 'a'), {
      source_key: 'untold',
    });

    assert.deepEqual(await view('dlq_blocked_keys', 'source_key, waiting::int'), [
      { source_key: 'two', waiting: 3 },
      { source_key: 'one', waiting: 2 },
      { source_key: 'untold', waiting: 1 },
    ]);
  });

  it('looks for what comes first only in keys of several events', async () => {
    await someEvents(database(), ...Array.from('abcdefg', (source_key) => ({ source_key })), {
      source_key: 'a',
    });
    const plan = await sql('explain (analyze, costs off, timing off) select from dlq_blocked_keys');
    const rows = plan.map((line) => /WindowAgg.*rows=(\d+)/.exec(`${line['QUERY PLAN']}`)?.[1]);

    assert.deepEqual(new Set(rows), new Set([undefined, '2']));
    assert.equal((await view('dlq_blocked_keys', 'source_key')).length, 1);
  });

  it('has each open event behind that one which dlq_blocked_by names', async () => {
    await sql(
      `insert into dlq_events (event_type, payload, source_key, source_partition, source_offset, consumer_group,
         source_subscription, status, edited_from, created_at)
       select 'a', '{}', 'key ' || n % 60, case when at[1] < 0.5 then at[2] * 2 end, at[3] * 6,
         (array['a', '', null, null])[1 + trunc(4 * at[4])], (array['a', 'b', null])[1 + trunc(3 * at[5])],
         (array['PENDING', 'PENDING', 'FAILED_PERMANENTLY', 'SUCCEEDED'])[1 + trunc(4 * at[6])],
         case when at[7] < 0.3 then 1 + at[8] * n end, now() - make_interval(mins => (at[9] * 100)::int)
       from generate_series(1, 400) as n
       cross join lateral (
         select array_agg(abs(hashint8extended(n * 10 + i, $1)) / 9223372036854775808.0) as at
         from generate_series(1, 9) as i) as chance`,
      [process.env.TEST_SEED],
    );
    const listed = await view('dlq_blocked_keys', 'blocked_by, waiting, oldest_waiting');
    const known = await sql(
      `select dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), id) as blocked_by,
         count(*) as waiting, min(created_at) as oldest_waiting
       from dlq_events where is_open group by 1`,
    );
    const sorted = (rows: typeof listed) =>
      rows
        .filter(({ blocked_by }) => blocked_by)
        .map((row) => JSON.stringify(row))
        .sort();
    assert.ok(listed.length > 10);
    assert.deepEqual(sorted(listed), sorted(known));
  });
});
