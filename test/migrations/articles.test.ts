import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

type Row = { readonly id: string } & Record<string, unknown>;

const claim = `
  with due as (
    select id from dlq_events
    where status = 'PENDING' and retry_after <= now()
    order by retry_after
    limit 50
    for update skip locked
  )
  update dlq_events set status = 'PROCESSING', updated_at = now()
  where id in (select id from due)
  returning *`;

// Statements of the published designs of a dead letter queue in PostgreSQL, unchanged, on this schema.
describe('SQL of the articles', () => {
  const database = useDatabase();
  const sql = (text: string, values?: unknown[]) => database().sql<Row>(text, values);
  const find = async (id: string) => (await sql('select * from dlq_events where id = $1', [id]))[0];
  const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

  beforeEach(() => database().clear());

  it('stores a failure by the six columns of the articles', async () => {
    await sql(
      `insert into dlq_events (event_type, payload, error_reason, error_stacktrace, status, retry_after)
       values ($1, $2, $3, $4, $5, $6)`,
      ['order.created', { orderId: 7 }, 'timeout', 'at Client.get', 'PENDING', new Date('2020-01-01')],
    );
    const [event] = await sql('select payload, error_reason, retry_count from dlq_events');
    assert.deepEqual(event, { payload: { orderId: 7 }, error_reason: 'timeout', retry_count: 0 });
  });

  it('selects retryable events, oldest first', async () => {
    const younger = await anEvent(database(), { created_at: '2020-01-02' });
    const older = await anEvent(database(), { created_at: '2020-01-01' });
    await anEvent(database(), { status: 'SUCCEEDED' });
    await anEvent(database(), { retry_count: 240 });
    await anEvent(database(), { event_type: 'order.paid' });
    const rows = await sql(
      `select * from dlq_events
       where event_type = $1 and retry_count < $2 and (status is null or status <> 'SUCCEEDED')
       order by created_at
       limit 50
       for update skip locked`,
      ['order.created', 240],
    );
    assert.deepEqual(ids(rows), [older, younger]);
  });

  it('claims due events with a CTE, and a trigger adds the lease', async () => {
    const due = await anEvent(database());
    await anEvent(database(), { retry_after: '2100-01-01' });
    const rows = await sql(claim);
    assert.deepEqual(
      rows.map(({ id, status }) => [id, status]),
      [[due, 'PROCESSING']],
    );
    assert.ok(rows[0]?.lease_token);
  });

  it('settles a success by id, and a trigger ends the lease', async () => {
    const id = await anEvent(database());
    await sql(claim);
    await sql(`update dlq_events set status = 'SUCCEEDED', updated_at = now() where id = $1`, [id]);
    const event = await find(id);
    assert.deepEqual([event?.status, event?.lease_token], ['SUCCEEDED', null]);
    assert.ok(event?.processed_at);
  });

  it('settles a failure by id with a doubled delay', async () => {
    const id = await anEvent(database(), { retry_count: 3 });
    await sql(claim);
    const [event] = await sql(
      `update dlq_events
       set status = 'PENDING', retry_count = retry_count + 1,
         retry_after = now() + interval '1 minute' * power(2, retry_count), error_reason = $2, updated_at = now()
       where id = $1
       returning status, retry_count, lease_token, extract(epoch from retry_after - now())::int as delay`,
      [id, 'still down'],
    );
    assert.deepEqual(event, { status: 'PENDING', retry_count: 4, lease_token: null, delay: 480 });
  });

  it('settles a failure with another reason, and a trigger keeps the first one', async () => {
    const columns = {
      error_class: 'TimeoutError',
      error_stacktrace: 'at Client.get',
      fingerprint: 'v1:first',
    };
    const id = await anEvent(database(), { error_reason: 'timeout', ...columns });
    const settle = (reason: string) =>
      sql('update dlq_events set error_reason = $2, updated_at = now() where id = $1', [id, reason]);
    await settle('still down');
    await settle('gone');
    const event = await find(id);

    const latest = ['error_reason', 'error_class', 'error_stacktrace', 'fingerprint'].map(
      (name) => event?.[name],
    );
    assert.deepEqual(latest, ['gone', null, null, null]);
    assert.deepEqual(await sql('select event_id, failure, is_original, facts from dlq_captures'), [
      {
        event_id: id,
        failure: 1,
        is_original: true,
        facts: { error_reason: 'timeout', error_class: 'TimeoutError', error_stacktrace: 'at Client.get' },
      },
    ]);
  });

  it('settles a failure with the same reason, and changes nothing else', async () => {
    const columns = {
      error_class: 'TimeoutError',
      error_stacktrace: 'at Client.get',
      fingerprint: 'v1:first',
    };
    const id = await anEvent(database(), { error_reason: 'timeout', ...columns });
    await sql(`update dlq_events set error_reason = 'timeout' where id = $1`, [id]);
    const event = await find(id);

    assert.deepEqual([event?.error_class, event?.fingerprint], ['TimeoutError', 'v1:first']);
    assert.deepEqual(await sql('select from dlq_captures where event_id = $1', [id]), []);
  });

  it('keeps a stack trace and a class that it sets with the reason', async () => {
    const id = await anEvent(database(), { error_class: 'TimeoutError', error_stacktrace: 'at Client.get' });
    await sql(
      `update dlq_events set error_reason = 'still down', error_class = 'TimeoutError', error_stacktrace = 'at Client.put'
       where id = $1`,
      [id],
    );
    const event = await find(id);

    assert.deepEqual([event?.error_class, event?.error_stacktrace], ['TimeoutError', 'at Client.put']);
  });

  it('lists the failures of the last 24 hours with their reasons', async () => {
    for (const error_reason of ['timeout', 'timeout', 'bad schema'])
      await anEvent(database(), { error_reason });
    await anEvent(database(), { error_reason: 'old', created_at: '2020-01-01' });
    const rows = await sql(
      `select error_reason, count(*)::int as events from dlq_events
       where created_at > now() - interval '24 hours'
       group by error_reason order by events desc`,
    );
    assert.deepEqual(rows, [
      { error_reason: 'timeout', events: 2 },
      { error_reason: 'bad schema', events: 1 },
    ]);
  });

  it('counts recovered, waiting and lost events by type', async () => {
    for (const status of ['SUCCEEDED', 'PENDING', 'PENDING', 'FAILED_PERMANENTLY']) {
      await anEvent(database(), { status });
    }
    const rows = await sql(
      `select event_type, count(*) filter (where status = 'SUCCEEDED')::int as recovered,
         count(*) filter (where status = 'PENDING')::int as waiting,
         sum(case when status = 'FAILED_PERMANENTLY' then 1 else 0 end)::int as lost
       from dlq_events group by event_type`,
    );
    assert.deepEqual(rows, [{ event_type: 'order.created', recovered: 1, waiting: 2, lost: 1 }]);
  });

  it('lists waiting events with more than five retries', async () => {
    const stubborn = await anEvent(database(), { retry_count: 6 });
    await anEvent(database(), { retry_count: 5 });
    const rows = await sql(`select * from dlq_events where retry_count > 5 and status = 'PENDING'`);
    assert.deepEqual(ids(rows), [stubborn]);
  });

  it('moves old successes to the archive unchanged', async () => {
    const old = await anEvent(database(), { status: 'SUCCEEDED', updated_at: '2020-01-01' });
    const young = await anEvent(database(), { status: 'SUCCEEDED' });
    const event = await find(old);
    const which = `from dlq_events where status = 'SUCCEEDED' and updated_at < now() - interval '30 days'`;
    await sql(`insert into dlq_events_archive select * ${which}`);
    await sql(`delete ${which}`);
    assert.deepEqual(await sql('select * from dlq_events_archive'), [event]);
    assert.deepEqual(await sql('select id from dlq_events'), [{ id: young }]);
  });

  it('moves a row of a business table into dlq_events in one statement', async () => {
    await sql('create table orders (id int, payload jsonb)');
    await sql(`insert into orders values (1, '{"orderId": 1}'), (2, '{"orderId": 2}')`);
    await sql(
      `with failed as (delete from orders where id = $1 returning payload)
       insert into dlq_events (event_type, payload, error_reason) select 'order.created', payload, $2 from failed`,
      [1, 'rejected'],
    );
    assert.deepEqual(await sql('select payload, status from dlq_events'), [
      { payload: { orderId: 1 }, status: 'PENDING' },
    ]);
    assert.deepEqual(await sql('select id from orders'), [{ id: 2 }]);
  });

  it('joins failures with a business table', async () => {
    await sql('create table customers (id int primary key, name text)');
    await sql(`insert into customers values (7, 'Ann')`);
    await anEvent(database(), { payload: '{"customerId": 7}' });
    const rows = await sql(
      `select customers.name, count(*)::int as failures
       from dlq_events join customers on customers.id = (payload ->> 'customerId')::int
       where status = 'PENDING' group by customers.name`,
    );
    assert.deepEqual(rows, [{ name: 'Ann', failures: 1 }]);
  });

  it('changes priorities at any time', async () => {
    const urgent = await anEvent(database());
    await anEvent(database(), { event_type: 'newsletter.sent' });
    await sql(`update dlq_events set priority = -10, retry_after = now() where event_type = 'order.created'`);
    const rows = await sql('select id from dlq_events where is_open order by priority, retry_after limit 1');
    assert.deepEqual(ids(rows), [urgent]);
  });

  it('counts waiting and stuck events and finds the age of the oldest, for alerts', async () => {
    await anEvent(database(), { created_at: new Date(Date.now() - 90_000_000) });
    await anEvent(database(), { status: 'PROCESSING', updated_at: '2020-01-01' });
    const rows = await sql(
      `select count(*) filter (where status = 'PENDING')::int as dead_letter_total,
         count(*) filter (where status = 'PROCESSING' and updated_at < now() - interval '10 minutes')::int as stuck,
         extract(epoch from now() - min(created_at)) > 86400 as is_overdue
       from dlq_events where status in ('PENDING', 'PROCESSING')`,
    );
    assert.deepEqual(rows, [{ dead_letter_total: 1, stuck: 1, is_overdue: true }]);
  });
});
