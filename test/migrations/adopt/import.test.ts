import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { useDatabase } from '../../support/database.ts';

describe('npm run adopt -- --from TABLE', () => {
  const database = useDatabase();
  const sql = (text: string) => database().sql(text);
  const run = async (...flags: string[]) => {
    const said: string[] = [];
    const code = await runAdopt({ DATABASE_URL: database().url }, flags, (line) => said.push(line));
    return { code, text: said.join('\n') };
  };
  let maps = 0;
  const aMap = async (mapping: object) => {
    const file = path.join(process.env.DLO_TEST_FOLDER ?? '', `map-${maps++}.json`);
    await writeFile(file, JSON.stringify(mapping));
    return file;
  };

  beforeEach(() => sql('drop table if exists dead_letter_queue, dead_letter, failures; truncate dlq_events'));

  it('maps the columns and words of dead_letter_queue', async () => {
    await sql(`
      create table dead_letter_queue (
        id bigserial primary key, event_id varchar(255), event_type varchar(255), payload jsonb, error_message text, error_stack_trace text,
        error_type varchar(20), source_topic varchar(255), consumer_group varchar(255), status varchar(20), retry_count int, max_retries int,
        first_failure_at timestamptz, last_failure_at timestamptz, next_retry_at timestamptz, processed_at timestamptz, metadata jsonb);
      insert into dead_letter_queue (event_id, event_type, payload, error_message, error_stack_trace, error_type, source_topic, consumer_group,
        status, retry_count, max_retries, first_failure_at, last_failure_at, next_retry_at, metadata)
      values ('e1', 'order.created', '{"n": 1}', 'timeout', 'at x', 'Timeout', 'orders', 'billing', 'retrying', 2, 3, '2026-01-01Z', '2026-01-02Z',
          '2026-01-03Z', '{"trace_id": "t1", "span_id": "s1"}'),
        ('e2', 'order.created', '{"n": 2}', 'bad', null, 'Bad', 'orders', 'billing', 'permanent_failed', 0, 3, '2026-01-01Z', '2026-01-02Z', null, null)`);
    assert.equal((await run('--from', 'dead_letter_queue')).code, 0);
    const rows =
      await sql(`select event_id, event_type, error_reason, error_stacktrace, error_class, status, retry_count, max_retries, trace_id,
      to_char(retry_after at time zone 'UTC', 'MM-DD') as due, source_topic, consumer_group from dlq_events order by event_id limit 1`);
    assert.deepEqual(rows, [
      {
        event_id: 'e1',
        event_type: 'order.created',
        error_reason: 'timeout',
        error_stacktrace: 'at x',
        error_class: 'Timeout',
        status: 'PENDING',
        retry_count: 2,
        max_retries: 3,
        trace_id: 't1',
        due: '01-03',
        source_topic: 'orders',
        consumer_group: 'billing',
      },
    ]);
    const closed = await sql(`select status from dlq_events where event_id = 'e2'`);
    assert.deepEqual(closed, [{ status: 'FAILED_PERMANENTLY' }]);
  });

  it('rejects a table of this product, which would grow by each import', async () => {
    await sql(`insert into dlq_events (event_type, payload) values ('a', '{}')`);
    for (const table of ['dlq_events', 'public.dlq_events_archive'])
      assert.match((await run('--from', table)).text, /is a table of this product/);
  });

  it('imports the rows that were there at its start, also of a view that shows what it imports', async () => {
    await sql(`create or replace view own_events as select id, payload from dlq_events;
      insert into dlq_events (event_type, payload) values ('a', '{}'), ('a', '{}')`);
    const map = await aMap({ key: 'id', columns: { event_type: { value: 'copied' } } });
    const { text } = await run('--from', 'own_events', '--map', map);
    await sql('drop view own_events');
    assert.match(text, /Reads event_type as "copied", payload from payload\.\nImported 2 rows/);
  });

  it('counts the rows in a dry run, of a table that was never analyzed, too', async () => {
    await sql(
      `create table failures (nr int primary key, payload text); insert into failures values (1, '{}')`,
    );
    assert.match((await run('--from', 'failures', '--dry-run')).text, /^failures has 1 row;/m);
  });

  it('imports a row without a message as an event without one', async () => {
    await sql(
      `create table failures (nr int primary key, payload bytea); insert into failures values (1, null), (2, '')`,
    );
    await run('--from', 'failures');
    const rows = await sql(
      `select payload_encoding, octet_length(body) as bytes from dlq_events order by id`,
    );
    assert.deepEqual(rows, [
      { payload_encoding: 'none', bytes: null },
      { payload_encoding: 'base64', bytes: 0 },
    ]);
  });

  it('rejects a time zone that does not exist, or is an offset', async () => {
    for (const zone of ['Mars/X', '+02:00'])
      await assert.rejects(
        run('--from', 'failures', `--time-zone=${zone}`),
        /--time-zone.*\n.*Use a name such as Europe\/Berlin/,
      );
  });

  it('imports a row of dead_letter once, keeps its other columns, and leaves the table alone', async () => {
    await sql(`
      create table dead_letter (id uuid primary key default gen_random_uuid(), event_id bigint, payload text, reason text, schema_version int, moved_at timestamp);
      insert into dead_letter (event_id, payload, reason, schema_version, moved_at) values (7, 'no JSON', 'schema', 3, '2026-01-01 12:00')`);
    await run('--from', 'dead_letter', '--time-zone', 'Asia/Tokyo');
    const { text } = await run('--from', 'public.dead_letter', '--time-zone', 'Asia/Tokyo');
    assert.match(text, /Imported 0 rows/);
    const rows =
      await sql(`select event_id, payload, payload_encoding, convert_from(body, 'UTF8') as body, error_reason, status,
      metadata -> 'imported' -> 'schema_version' as version, created_at from dlq_events`);
    assert.deepEqual(rows, [
      {
        event_id: '7',
        payload: 'no JSON',
        payload_encoding: 'text',
        body: 'no JSON',
        error_reason: 'schema',
        status: 'PENDING',
        version: 3,
        created_at: new Date('2026-01-01T03:00:00Z'),
      },
    ]);
    assert.deepEqual(await sql('select reason from dead_letter'), [{ reason: 'schema' }]);
  });

  it('maps the columns of dead_letter as its article writes them', async () => {
    await sql(`
      create table events (id bigserial primary key, data jsonb);
      insert into events (data) values ('{"n": 1}');
      create table dead_letter (id bigserial primary key, event_id bigint, payload jsonb, error_message text, attempted_at timestamptz);
      insert into dead_letter (event_id, payload, error_message, attempted_at) select id, data, 'Processing timeout', '2026-01-01Z' from events;
      drop table events`);
    assert.equal((await run('--from', 'dead_letter')).code, 0);
    assert.deepEqual(
      await sql('select event_id, payload, error_reason, status, created_at, metadata from dlq_events'),
      [
        {
          event_id: '1',
          payload: { n: 1 },
          error_reason: 'Processing timeout',
          status: 'PENDING',
          created_at: new Date('2026-01-01Z'),
          metadata: { imported: { id: 1 } },
        },
      ],
    );
  });

  it('imports every row of a table with keys of a fixed length', async () => {
    await sql(`create table failures (id char(6) primary key, payload jsonb);
      insert into failures select lpad(n::text, 6, '0'), '{}' from generate_series(1, 2100) n`);
    assert.match((await run('--from', 'failures')).text, /Imported 2,100 rows/);
  });

  it('rejects a key that is null or not unique', async () => {
    await sql(
      `create table failures (nr int, payload jsonb); insert into failures values (1, '{}'), (1, '{}'), (null, '{}')`,
    );
    const map = await aMap({ key: 'nr' });
    assert.match(
      (await run('--from', 'failures', '--map', map)).text,
      /2 rows have no nr, or that of another/,
    );
  });

  it('maps any other table with a file', async () => {
    await sql(
      `create table failures (nr int, what bytea, why text, state text); insert into failures values (1, 'a'::bytea, 'w', 'erledigt')`,
    );
    const refused = await run('--from', 'failures');
    assert.match(refused.text, /No single column identifies a row[\s\S]*status "erledigt", which is unknown/);
    const columns = { payload: 'what', error_reason: 'why', event_type: { value: 'invoice' } };
    const map = await aMap({ key: 'nr', columns, status: { erledigt: 'SUCCEEDED' } });
    assert.equal((await run('--from', 'failures', '--map', map)).code, 0);
    assert.deepEqual(
      await sql(
        `select event_type, error_reason, status, payload, convert_from(body, 'UTF8') as body from dlq_events`,
      ),
      [{ event_type: 'invoice', error_reason: 'w', status: 'SUCCEEDED', payload: 'YQ==', body: 'a' }],
    );
  });

  it('reports every mistake of a mapping file together', async () => {
    const map = await aMap({ colums: {}, columns: { reason: 'x' }, status: { a: 'DONE' } });
    await assert.rejects(run('--from', 'failures', '--map', map), /has 3 problems/);
  });

  it('changes nothing with --dry-run', async () => {
    await sql(
      `create table failures (id int primary key, payload jsonb); insert into failures values (1, '{}')`,
    );
    assert.match((await run('--from', 'failures', '--dry-run')).text, /Nothing was changed/);
    assert.deepEqual(await sql('select from dlq_events'), []);
  });
});
