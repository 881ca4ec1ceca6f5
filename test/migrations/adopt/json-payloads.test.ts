import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { runAdopt } from '../../../migrations/adopt/adopt-command.ts';
import { useEmptyDatabases } from '../../support/database.ts';

/** Texts that jsonb rejects, or prints differently. */
const texts = ['{"a":"\\u0000","b":1.10}', '{"a":1e200000}', '{"a": 1, "a": 2}', '{"b":1,"a":2}', '{"a": 1}'];
const bytes = `select convert_from(coalesce(body, convert_to(
    case payload_encoding when 'text' then payload #>> '{}' else payload::text end, 'UTF8')), 'UTF8') as text
  from dlq_events order by id`;

const aTable = (payload: string, reason: string) => `
  create table dlq_events (
    id bigserial primary key, event_type text not null, ${payload} json not null, ${reason} text not null, status text not null default 'PENDING',
    retry_count int not null default 0, retry_after timestamptz not null default now(), created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`;

describe('a column of the type json in an adopted table', () => {
  const anEmptyDatabase = useEmptyDatabases();
  const adopt = async (payload: string, reason: string) => {
    const url = await anEmptyDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const insert = () =>
      client.query(
        `insert into dlq_events (event_type, ${payload}, ${reason}) select 'a', each::json, 'x' from unnest($1::text[]) as each`,
        [texts],
      );
    await client.query(aTable(payload, reason));
    await insert();
    const lines: string[] = [];
    const code = await runAdopt({ DATABASE_URL: url }, ['--accept', 'types'], (line) => lines.push(line));
    assert.equal(code, 0, lines.join('\n'));
    const read = async () => (await client.query<{ text: string }>(bytes)).rows.map(({ text }) => text);
    return { client, insert, read };
  };

  it('keeps the exact text of each message', async () => {
    const { client, read } = await adopt('payload', 'error_reason');
    try {
      assert.deepEqual(await read(), texts);
    } finally {
      await client.end();
    }
  });

  it('keeps it under a name of its own, too, also in what consumers write afterwards', async () => {
    const { client, insert, read } = await adopt('data', 'error_message');
    try {
      await insert();
      await client.query(`update dlq_events set data = '{"z":1}' where id = 1`);
      await client.query(`update dlq_events set status = 'SUCCEEDED' where id = 2`);
      assert.deepEqual(await read(), ['{"z":1}', ...texts.slice(1), ...texts]);
    } finally {
      await client.end();
    }
  });
});
