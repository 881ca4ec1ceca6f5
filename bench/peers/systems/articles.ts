import pg from 'pg';
import { inParallel, type System } from '../system.ts';

const insert = `insert into dlq_events (event_type, payload, error_reason, status, retry_after)
  values ('order.created', $1::jsonb, 'timed out', 'PENDING', now())`;

/** The table and the statements of the articles, taken literally: one INSERT per message, claims of 50, one UPDATE per event. */
export const articles: System = {
  name: 'the table of the articles',
  keeps: 'the message as JSON, a reason',
  tables: ['public.dlq_events'],
  install: (url) =>
    withPool(url, (pool) =>
      pool.query(`create table dlq_events (
          id bigserial primary key, event_type varchar(255) not null, payload jsonb not null, error_reason text not null,
          error_stacktrace text, status varchar(20) not null default 'PENDING', retry_count int not null default 0,
          retry_after timestamptz not null default now(), created_at timestamptz not null default now(),
          updated_at timestamptz not null default now());
        create index on dlq_events (status);
        create index on dlq_events (status, retry_after);
        create index on dlq_events (event_type);
        create index on dlq_events (created_at)`),
    ),
  capture: (url, messages) =>
    withPool(url, (pool) =>
      inParallel(messages, 10, (message) => pool.query({ name: 'insert', text: insert, values: [message] })),
    ),
  drains: { 'batches of 50': (url) => withPool(url, drain) },
  count: {
    stored: 'select count(*) from dlq_events',
    left: `select count(*) from dlq_events where status <> 'SUCCEEDED'`,
  },
};

async function withPool(url: string, use: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  try {
    await use(pool);
  } finally {
    await pool.end();
  }
}

async function drain(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  for (;;) {
    const { rows } = await client.query<{ id: string }>(
      `with claimed as (
         select id from dlq_events where status = 'PENDING' and retry_after <= now()
         order by retry_after limit 50 for update skip locked)
       update dlq_events set status = 'PROCESSING', updated_at = now() where id in (select id from claimed) returning *`,
    );
    if (rows.length === 0) break;
    for (const { id } of rows) {
      const text = `update dlq_events set status = 'SUCCEEDED', updated_at = now() where id = $1`;
      await client.query({ name: 'settle', text, values: [id] });
    }
  }
  client.release();
}
