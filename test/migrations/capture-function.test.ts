import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { aCapture } from '../support/captures.ts';
import { useDatabase } from '../support/database.ts';
import { openDays } from '../support/days.ts';
import { redelivery } from '../support/redelivery.ts';

describe('dlq_capture, called within the transaction of an application,', () => {
  const database = useDatabase();
  const capture = `select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', event_id => 'order-1')`;
  const count = async () => (await database().sql('select from dlq_events')).length;
  const transaction = async (...steps: (string | (() => Promise<void>))[]) => {
    const client = new pg.Client({ connectionString: database().url });
    await client.connect();
    try {
      for (const step of ['begin', ...steps]) await (typeof step === 'string' ? client.query(step) : step());
    } finally {
      await client.end();
    }
  };

  beforeEach(() => database().clear());

  it('stores the failure when the transaction commits', async () => {
    await transaction(capture, 'commit');
    assert.equal(await count(), 1);
  });

  it('stores nothing when the transaction is rolled back', async () => {
    await transaction(capture, 'rollback');
    assert.equal(await count(), 0);
  });

  it('stores the same failure once, whether it is reported in SQL or over HTTP', async () => {
    await transaction(capture, capture, 'commit');
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture({ errorReason: 'timeout' })]);
    const [row, ...others] = await database().sql('select error_reason from dlq_events');
    assert.deepEqual([row?.error_reason, others.length], ['timeout', 0]);
  });

  it('reads nothing of a large message of its event for a report without one', async () => {
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, [
      aCapture({ body: randomBytes(2 ** 20), eventKey: 'id:order-1', errorReason: 'timeout' }),
    ]);
    const report = `select dlq_capture(event_type => 'order.created', payload => null, event_id => 'order-1', trace_id => 'a')`;
    // Of its own transaction: what other sessions read is added up later.
    const readsLittle = `do $$ begin
      assert (select pg_stat_get_xact_blocks_fetched(reltoastrelid) from pg_class where relname = 'dlq_events') < 20;
    end $$`;
    await transaction(report, readsLittle, 'commit');
    assert.deepEqual(await database().sql('select trace_id, count(*) over ()::int from dlq_events'), [
      { trace_id: 'a', count: 1 },
    ]);
  });

  it('adds trace and attempts to an event that lacks them, and nothing that a route matches', async () => {
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture()]);
    for (const trace of ['first', 'second']) {
      const more = `, source_topic => 'orders', trace_id => '${trace}', source_attempts => 3)`;
      await transaction(capture.replace(')', more), 'commit');
    }
    const columns = 'source_topic, trace_id, source_attempts';
    assert.deepEqual(await database().sql(`select ${columns} from dlq_events`), [
      { source_topic: null, trace_id: 'first', source_attempts: 3 },
    ]);
  });

  it('stores no header that is a credential by its name, and lists it', async () => {
    const headers = {
      Authorization: 'Bearer s3cret',
      X_Api_Key: 's3cret',
      cookie: ['s3cret'],
      tenant: 'acme',
    };
    const more = `, headers => '${JSON.stringify(headers)}', metadata => '{"region": "eu"}')`;
    await transaction(capture.replace(/\)$/, more), capture.replace(/\)$/, more), 'commit');

    const [row] = await database().sql('select headers, metadata from dlq_events');
    assert.deepEqual(row, {
      headers: { tenant: 'acme' },
      metadata: { region: 'eu', withheld: ['Authorization', 'X_Api_Key', 'cookie'] },
    });
    const [facts] = await database().sql('select facts::text as text from dlq_captures');
    assert.doesNotMatch(JSON.stringify(facts ?? ''), /s3cret/);
  });

  it('withholds headers that are no object and name a credential, and keeps others', async () => {
    const given = ['"Authorization: Bearer abc"', '["X-Api-Key", "abc"]', '[["tenant", "acme"]]'];
    for (const headers of given)
      await database().sql(
        `select dlq_capture(event_type => 'order', payload => '1', headers => '${headers}')`,
      );
    const rows = await database().sql<{ headers: string }>(
      `select metadata #>> '{ignored,headers}' as headers from dlq_events order by id`,
    );
    assert.deepEqual(
      rows.map(({ headers }) => headers),
      ['withheld', 'withheld', '[["tenant", "acme"]]'],
    );
  });

  it('keeps the reason of the first report of a failure, and the others beside the event', async () => {
    const report = (reason: string) =>
      capture.replace(
        ')',
        `, error_reason => '${reason}', error_class => 'TimeoutError', error_stacktrace => 'at Client.get')`,
      );
    await transaction(report('after 3 s'), 'commit');
    await transaction(report('after 5 s'), 'commit');

    const columns = 'error_reason, error_class, error_stacktrace';
    assert.deepEqual(await database().sql(`select ${columns} from dlq_events`), [
      { error_reason: 'after 3 s', error_class: 'TimeoutError', error_stacktrace: 'at Client.get' },
    ]);
    assert.deepEqual(await database().sql(`select facts ->> 'error_reason' as reason from dlq_captures`), [
      { reason: 'after 5 s' },
    ]);
  });

  it('reopens a delivered event, which fails permanently after its last retry', async () => {
    const statuses = [];
    for (let i = 0; i < 4; i++) {
      await transaction(capture.replace(')', `, trace_id => '${i}')`), 'commit');
      const [row] = await database().sql('select status, failure_count from dlq_events');
      statuses.push(row);
      // A worker says so of the delivery after which there is no other.
      const retryAfter = i < 1 ? 'now' : 'infinity';
      await database().sql(`update dlq_events set status = 'SUCCEEDED', retry_after = $1`, [retryAfter]);
    }
    assert.deepEqual(statuses, [
      { status: 'PENDING', failure_count: 1 },
      { status: 'PENDING', failure_count: 2 },
      { status: 'FAILED_PERMANENTLY', failure_count: 3 },
      { status: 'FAILED_PERMANENTLY', failure_count: 4 },
    ]);
  });

  it('recognizes a redelivery by its dlo-event-id header, also of an event that plain SQL inserted', async () => {
    const [row] = await database().sql(
      `insert into dlq_events (id, event_type, payload, status)
       values (8999999999999999000, 'order', '{"n": 1}', 'SUCCEEDED')
       returning id, ${redelivery} as redelivery`,
    );
    // As HTTP has them, and as Go prints them.
    for (const name of ['dlo-event-id', 'Dlo-Event-Id']) {
      const headers = `headers => '{"${name}": "${row?.redelivery}"}'`;
      await transaction(
        `select dlq_capture(event_type => 'order', payload => '{"n": 1}', ${headers})`,
        `update dlq_events set status = 'SUCCEEDED'`,
        'commit',
      );
    }
    const [again, ...others] = await database().sql('select id, failure_count from dlq_events');
    assert.deepEqual([again, others.length], [{ id: row?.id, failure_count: 3 }, 0]);
  });

  it('hears a failure in a transaction that began before the delivery that failed', async () => {
    await transaction(capture, 'commit');
    const deliver = async () => {
      const [event] = await database().sql<{ id: string }>('select id from dlq_events');
      await openDays(database).deliver(event?.id ?? '');
    };
    await transaction('select now()', deliver, capture, 'commit');
    assert.deepEqual(await database().sql('select status, failure_count from dlq_events'), [
      { status: 'PENDING', failure_count: 2 },
    ]);
  });

  it('moves a row of a business table in one transaction', async () => {
    await database().sql(`create table if not exists inbox as select 7 as id, '{"n": 1}'::jsonb as message`);
    const move = `with taken as (delete from inbox where id = 7 returning *)
      select dlq_capture(event_type => 'order', payload => message, event_id => id::text) from taken`;
    await transaction(move, 'rollback');
    assert.equal((await database().sql('select from inbox')).length, 1);
    await transaction(move, 'commit');
    assert.deepEqual([(await database().sql('select from inbox')).length, await count()], [0, 1]);
  });

  it('recognizes the same report from a session with another time zone', async () => {
    const dated = "select dlq_capture('order', '{}', event_id => 'z', occurred_at => '2026-03-01T10:00:00Z')";
    for (const zone of ['Asia/Tokyo', 'America/Lima', 'Asia/Kathmandu'])
      await transaction(`set local timezone = '${zone}'`, dated, 'commit');

    assert.deepEqual(await database().sql('select status, failure_count from dlq_events'), [
      { status: 'PENDING', failure_count: 1 },
    ]);
    assert.equal((await database().sql('select from dlq_captures')).length, 1);
  });

  it('keeps the rows of two business tables with the same id apart', async () => {
    await database().sql(
      `create table if not exists serial_inbox as select 1 as id, '{"from": "inbox"}'::jsonb as data`,
    );
    await database().sql(
      `create table if not exists serial_outbox as select 1 as id, '{"from": "outbox"}'::jsonb as data`,
    );
    for (const [table, type] of [
      ['serial_inbox', 'order.created'],
      ['serial_outbox', 'invoice.sent'],
    ]) {
      await transaction(
        `with taken as (delete from ${table} where id = 1 returning *)
         select dlq_capture(event_type => '${type}', payload => to_jsonb(taken), event_id => taken.id::text,
           error_reason => 'no such customer') from taken`,
        'commit',
      );
    }
    const rows = await database().sql(
      `select payload #>> '{data,from}' as source, conflicts_with is not null as conflicts
       from dlq_events order by id`,
    );
    assert.deepEqual(rows, [
      { source: 'inbox', conflicts: false },
      { source: 'outbox', conflicts: true },
    ]);
  });

  it('is all that a login of dlq_reporter may do', async () => {
    await transaction('set local role dlq_reporter', capture, 'commit');
    assert.equal(await count(), 1);
    for (const statement of [
      'select id from dlq_events',
      `insert into dlq_events (event_type, payload) values ('order', '{}')`,
      `update dlq_events set status = 'DISCARDED'`,
      'delete from dlq_events',
      `select * from dlq_capture_events('[]', '', 600)`,
      'select * from dlq_error_groups',
    ]) {
      await assert.rejects(
        transaction('set local role dlq_reporter', statement),
        /permission denied/,
        statement,
      );
    }
  });

  it('may be called by dlq_capture and dlq_reporter only', async () => {
    await assert.rejects(transaction('set local role dlq_retry', capture), /permission denied/);
    await transaction('set local role dlq_capture', capture, 'commit');
    assert.equal(await count(), 1);
  });
});
