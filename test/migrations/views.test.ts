import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { refresh, refreshUnlessReplica } from '../../shared/groups/refresh-groups.ts';
import { aCapture } from '../support/captures.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent, someEvents } from '../support/factories.ts';
import { redelivery } from '../support/redelivery.ts';
import { actAs } from '../support/roles.ts';

describe('a view', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql(text, values);
  const view = (name: string, columns: string) => sql(`select ${columns} from ${name}`);
  beforeEach(() => database().clear());

  it('dlq_failures_by_reason shows the failures of the last day by type and error group', async () => {
    const reasons = ['order 1 not found', 'order 2 not found', 'timeout'];
    const captures = reasons.map((errorReason, i) => aCapture({ eventKey: `id:${i}`, errorReason }));
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
    await anEvent(database(), { created_at: '2020-01-01' });
    await refresh(database().db);

    assert.deepEqual(await view('dlq_failures_by_reason', 'event_type, reason, failures::int, state'), [
      { event_type: 'order.created', reason: 'order 2 not found', failures: 2, state: 'OPEN' },
      { event_type: 'order.created', reason: 'timeout', failures: 1, state: 'OPEN' },
    ]);
  });

  it('dlq_failures_by_reason has a reason as soon as it has the event, also of plain SQL', async () => {
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, [
      aCapture({ errorClass: 'TimeoutError', errorReason: 'no answer\nfrom payments' }),
    ]);
    await sql(`insert into dlq_events (event_type, payload, error_reason)
      values ('a', '{}', 'payments is down'), ('a', '{}', 'payments is down'), ('a', '{}', 'no stock'), ('b', '{}', default)`);

    assert.deepEqual(await view('dlq_failures_by_reason', 'event_type, reason, failures::int'), [
      { event_type: 'a', reason: 'payments is down', failures: 2 },
      { event_type: 'a', reason: 'no stock', failures: 1 },
      { event_type: 'b', reason: 'No reason given: b', failures: 1 },
      { event_type: 'order.created', reason: 'TimeoutError: no answer', failures: 1 },
    ]);
  });

  it('dlq_failures_by_reason has a recurrence that is reported in SQL, before and after it is in a group', async () => {
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, [
      aCapture({ eventKey: 'id:1', errorReason: 'timeout', body: Buffer.from('{"n": 1}') }),
    ]);
    await sql(`update dlq_count_deltas set hour = hour - interval '5 days'`);
    await sql(`update dlq_events set created_at = now() - interval '5 days', status = 'SUCCEEDED'`);
    await sql(`select dlq_capture(event_type => 'order.created', payload => '{"n": 1}', event_id => '1',
      error_reason => 'no stock', headers => json_object('dlo-event-id': ${redelivery})::jsonb)
      from dlq_events`);
    const failures = () =>
      view('dlq_failures_by_reason', 'reason, failures::int, fingerprint <> $$$$ as "isGrouped"');

    assert.deepEqual(await failures(), [{ reason: 'no stock', failures: 1, isGrouped: false }]);
    await refreshUnlessReplica(database().db);
    assert.deepEqual(await failures(), [{ reason: 'no stock', failures: 1, isGrouped: true }]);
  });

  it('dlq_failures_by_reason has no edit and nothing older of what is in no group yet', async () => {
    await someEvents(database(), { fingerprint: null, error_class: 'A', error_reason: 'first' });
    await sql(
      `insert into dlq_events (event_type, payload, edited_from, error_reason) values ('b', '{}', 1, 'edit')`,
    );
    await someEvents(database(), { fingerprint: null, created_at: '2026-01-01' });

    assert.deepEqual(await view('dlq_failures_by_reason', 'reason, failures::int'), [
      { reason: 'A: first', failures: 1 },
    ]);
  });

  it('dlq_failures_by_reason has the reason of the latest event of a group without a title', async () => {
    await someEvents(database(), { error_reason: 'first' }, { error_reason: 'latest' });

    assert.deepEqual(await view('dlq_failures_by_reason', 'reason, failures::int'), [
      { reason: 'latest', failures: 2 },
    ]);
  });

  it('dlq_failures_by_hour shows captures and outcomes by hour', async () => {
    await someEvents(database(), {}, {}, {}, {}, { created_at: new Date(Date.now() - 7_200_000) });
    await sql(`update dlq_events set status = 'SUCCEEDED' where id % 4 <> 0`);
    await sql(`update dlq_events set status = 'FAILED_PERMANENTLY' where id % 4 = 0`);
    await someEvents(database(), { created_at: new Date(Date.now() - 8 * 86_400_000) });
    const rows = await view(
      'dlq_failures_by_hour',
      'captures::int, deliveries::int, permanent_failures::int, permanent_failure_ratio::float',
    );

    assert.equal(rows.length, 2);
    assert.deepEqual(
      rows.map((row) => row.captures),
      [4, 1],
    );
    const sum = (column: string) => rows.reduce((total, row) => total + Number(row[column]), 0);
    assert.deepEqual([sum('captures'), sum('deliveries') + sum('permanent_failures')], [5, 5]);
    assert.deepEqual(
      rows.flatMap((row) => row.permanent_failure_ratio ?? []),
      [sum('permanent_failures') / 5],
    );
  });

  it('dlq_open_by_consumer counts open events by consumer', async () => {
    await someEvents(
      database(),
      { source_subscription: 'billing', retry_count: 3 },
      { source_subscription: 'billing' },
      { consumer_group: 'mail' },
      { source_subscription: 'billing', status: 'SUCCEEDED' },
    );

    assert.deepEqual(await view('dlq_open_by_consumer', 'consumer, events::int, most_retries'), [
      { consumer: 'billing', events: 2, most_retries: 3 },
      { consumer: 'mail', events: 1, most_retries: 0 },
    ]);
  });

  it('dlq_open_by_consumer names what is known of a consumer, the most events first, with their times', async () => {
    const at = (day: number) => ({
      created_at: `2026-01-0${day}`,
      retry_after: `2026-02-0${day}`,
      source_topic: 'orders',
    });
    await someEvents(
      database(),
      { source_kind: 'a' },
      { source_subscription: 'x', consumer_group: 'z', ...at(1) },
      { ...at(2) },
      { ...at(1) },
      { source_subscription: 'yard', ...at(3) },
      { source_subscription: 'yard', ...at(3) },
      { source_subscription: 'yard', ...at(3) },
    );

    const columns = `consumer, to_char(oldest, 'FMDD') as oldest, to_char(next_retry, 'MM-DD') as next`;
    assert.deepEqual(await view("dlq_open_by_consumer where consumer <> 'a'", columns), [
      { consumer: 'yard', oldest: '3', next: '02-03' },
      { consumer: 'orders', oldest: '1', next: '02-01' },
      { consumer: 'x', oldest: '1', next: '02-01' },
    ]);
    assert.equal((await view("dlq_open_by_consumer where consumer = 'a'", 'consumer')).length, 1);
  });

  it('dlq_needs_review shows permanent failures, latest first', async () => {
    const [first, second] = await someEvents(
      database(),
      { status: 'FAILED_PERMANENTLY', processed_at: '2026-01-01', source_subscription: 'billing' },
      { status: 'FAILED_PERMANENTLY', processed_at: '2026-01-02', error_reason: 'no such customer' },
      {},
      { status: 'DISCARDED' },
    );

    assert.deepEqual(await view('dlq_needs_review', 'id, error_reason, consumer'), [
      { id: second, error_reason: 'no such customer', consumer: null },
      { id: first, error_reason: 'timeout', consumer: 'billing' },
    ]);
  });

  it('dlq_most_retried shows open events with more than five failed retries', async () => {
    const [stubborn, , , latest] = await someEvents(
      database(),
      { retry_count: 6 },
      { retry_count: 5 },
      { retry_count: 9, status: 'DISCARDED' },
      { retry_count: 7 },
    );

    assert.deepEqual(await view('dlq_most_retried', 'id'), [{ id: latest }, { id: stubborn }]);
  });

  it('can be read by dlq_readonly, and by no role without the right to its tables', async () => {
    const names = await database().sql<{ name: string }>(
      `select relname as name from pg_class where relkind = 'v' and relname like 'dlq%'`,
    );
    assert.equal(names.length, 15);
    for (const { name } of names) {
      const read = {
        work: (db: { query: (query: { text: string }) => unknown }) =>
          Promise.resolve(db.query({ text: `select * from ${name}` })),
      };
      await actAs('dlq_readonly', database(), read);
      await assert.rejects(actAs('dlq_capture', database(), read), /permission denied/);
    }
  });
});
