import type { HttpFunction } from '@google-cloud/functions-framework';
import pg from 'pg';

const naiveTable = `create schema if not exists naive;
create table if not exists naive.dlq_events (
  id bigserial primary key, event_type varchar(255) not null, payload jsonb not null, error_reason text not null,
  error_stacktrace text, status varchar(20) not null default 'PENDING', retry_count int not null default 0,
  retry_after timestamptz not null default now(), created_at timestamptz not null default now(),
  updated_at timestamptz not null default now());
create index if not exists naive_status on naive.dlq_events (status);
create index if not exists naive_due on naive.dlq_events (status, retry_after);
create index if not exists naive_type on naive.dlq_events (event_type);
create index if not exists naive_created_at on naive.dlq_events (created_at)`;

/** Creates the table of the articles, for `naive`. */
export async function createNaiveTable(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(naiveTable);
  await client.end();
}

const insert = `insert into naive.dlq_events (event_type, payload, error_reason) values ($1, $2::jsonb, 'not reported')`;

/** Returns the function that the articles describe: one INSERT for each request, of the message alone. */
export function openNaive(databaseUrl: string): HttpFunction {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  return async (request, response) => {
    const { attributes, data } = request.body.message;
    const values = [attributes.event_type, Buffer.from(data, 'base64').toString('utf8')];
    await pool.query({ name: 'insert', text: insert, values });
    response.json({ stored: true });
  };
}
