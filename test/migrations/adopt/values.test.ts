import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { facts } from '../../../migrations/adopt/facts.ts';
import { ownColumns } from '../../../migrations/adopt/own-columns.ts';
import { articlesTable } from '../../support/articles-table.ts';
import { useEmptyDatabases } from '../../support/database.ts';

const columns =
  'event_type, payload, error_reason, retry_count, headers, failure_kind, max_retries, priority';
const odd = `values (repeat('long type ', 400), '{}', 'x', -3, '["not", "an object"]'::jsonb, 'Timeout', -1, null::int),
  ('b', '{}', 'x', 0, null, 'TRANSIENT', null, 7)`;

describe('values that this product rejects in an adopted table', () => {
  const anEmptyDatabase = useEmptyDatabases();
  let url = '';
  const sql = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const read = (where: string) =>
    sql(`select left(event_type, 9) as type, length(event_type) as length, retry_count, headers, failure_kind, max_retries, priority,
      (metadata -> 'original') - 'event_type' as original, length(metadata #>> '{original,event_type}') as original_length
      from dlq_events where ${where} order by id`);
  const kept = [
    {
      type: 'long type',
      length: 233,
      retry_count: 0,
      headers: {},
      failure_kind: null,
      max_retries: null,
      priority: 0,
      original: { headers: ['not', 'an object'], retry_count: -3, failure_kind: 'Timeout', max_retries: -1 },
      original_length: 4000,
    },
    {
      type: 'b',
      length: 1,
      retry_count: 0,
      headers: {},
      failure_kind: 'transient',
      max_retries: null,
      priority: 7,
      original: { failure_kind: 'TRANSIENT' },
      original_length: null,
    },
  ];
  let warnings = '';

  before(async () => {
    url = await anEmptyDatabase();
    await sql(`${articlesTable}; alter table dlq_events alter event_type type text, add headers jsonb, add failure_kind text,
      add max_retries int, add priority int, add first_failure_at timestamptz, add last_failure_at timestamptz;
      insert into dlq_events (${columns}) ${odd}; insert into dlq_events (event_type, payload, error_reason, priority)
      values ('urgent', '{}', 'x', 100000)`);
    const said: string[] = [];
    await runAdopt({ DATABASE_URL: url }, ['--dry-run'], (line) => said.push(line));
    warnings = said.join('\n');
    const flags = ['values', 'nulls', 'types'].flatMap((name) => ['--accept', name]);
    assert.equal(await runAdopt({ DATABASE_URL: url }, flags, (line) => said.push(line)), 0, said.join('\n'));
  });

  it('are counted by column before anything is changed', () => {
    for (const column of ['retry_count', 'headers', 'max_retries', 'priority', 'event_type'])
      assert.match(warnings, new RegExp(`values: 1 row has a value of ${column} that this product rejects`));
    assert.match(warnings, /values: 2 rows have values of failure_kind/);
    assert.match(warnings, /nulls: 2 rows have no headers/);
    assert.match(warnings, /Column priority is of type integer.*beyond -32768 to 32767 fails/);
  });

  it('are replaced, and kept in the metadata', async () => {
    assert.deepEqual(await read('id <= 2'), kept);
    assert.deepEqual(await sql(`select priority, metadata from dlq_events where event_type = 'urgent'`), [
      { priority: 0, metadata: { original: { priority: 100000 } } },
    ]);
  });

  it('are accepted from consumers afterwards, too', async () => {
    await sql(`insert into dlq_events (${columns}) ${odd}`);
    assert.deepEqual(await read('id > 3'), kept);
  });

  it('are accepted in times and statuses, and an unknown status waits as pending', async () => {
    const rows =
      await sql(`insert into dlq_events (event_type, payload, error_reason, status, first_failure_at, last_failure_at, metadata)
        values ('c', '{}', 'x', 'ESCALATED', '2026-01-02', '2026-01-01', '["mine"]'), ('c', '{}', 'x', 'done', null, null, null)
        returning status, last_failure_at >= first_failure_at as "isInOrder", metadata`);
    assert.deepEqual(rows, [
      { status: 'PENDING', isInOrder: true, metadata: { status: 'ESCALATED', metadata: ['mine'] } },
      { status: 'SUCCEEDED', isInOrder: true, metadata: null },
    ]);
  });

  it('are looked for in every column of dlq_events that another table may have', async () => {
    const rows = await sql(
      `select attname as name from pg_attribute where attrelid = 'dlq_events'::regclass and attnum > 0 and not attisdropped`,
    );
    const known = [...Object.keys(facts), ...ownColumns].sort();
    assert.deepEqual(rows.map(({ name }) => name).sort(), known);
  });
});
