/** A table that a file of docs/adopt/ adopts. */
export type AdoptedTable = {
  readonly file: string;
  readonly name: string;
  readonly ddl: string;
  /** Inserts rows for the numbers `n` of a FROM clause that follows. */
  readonly fill: string;
  /** The statement of a writer; `$1` is the message. */
  readonly insert: string;
  /** SQL for the message as jsonb. */
  readonly payload: string;
  /** The event of row 7, by a query. */
  readonly copied: { readonly query: string; readonly event: Readonly<Record<string, unknown>> };
};

/** The table as the Wayfair article and the QueryPlane guide print it. */
export const articlesTable: AdoptedTable = {
  file: 'dlq_events.sql',
  name: 'dlq_events',
  ddl: `
    create table dlq_events (
      id bigserial primary key,
      event_type varchar(255) not null,
      payload jsonb not null,
      error_reason text not null,
      error_stacktrace text,
      status varchar(20) not null default 'PENDING',
      retry_count int not null default 0,
      retry_after timestamptz not null default now(),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      tenant text default 'acme'
    );
    create index dlq_events_due on dlq_events (status, retry_after);
    create index idx_dlq_events_created_at on dlq_events (created_at)`,
  fill: `insert into dlq_events (event_type, payload, error_reason, status, retry_count, retry_after)
    select 'order.created', jsonb_build_object('n', n), 'timeout',
      (array['PENDING', 'succeeded', 'PROCESSING', 'FAILED_PERMANENTLY'])[1 + n % 4], n % 7 - 1, '2100-01-01Z'`,
  insert: `insert into dlq_events (event_type, payload, error_reason, error_stacktrace, status, retry_after)
    values ('order.created', $1, 'timeout', 'at Client.get', 'PENDING', now()) returning id`,
  payload: 'payload',
  copied: {
    query: `select id, event_type, error_reason, status, retry_count, metadata from dlq_events where event_key = 'dlq_events:7'`,
    event: {
      id: '7',
      event_type: 'order.created',
      error_reason: 'timeout',
      status: 'FAILED_PERMANENTLY',
      retry_count: 0,
      metadata: { tenant: 'acme' },
    },
  },
};

export const hotdryTable: AdoptedTable = {
  file: 'dead_letter_queue.sql',
  name: 'dead_letter_queue',
  ddl: `
    create table dead_letter_queue (
      id bigserial primary key,
      event_id varchar(255) not null,
      event_type varchar(255) not null,
      payload jsonb not null,
      error_message text,
      error_stack_trace text,
      error_type varchar(100),
      source_topic varchar(255),
      consumer_group varchar(255),
      status varchar(20) default 'pending',
      retry_count int default 0,
      max_retries int default 3,
      first_failure_at timestamptz default now(),
      last_failure_at timestamptz default now(),
      next_retry_at timestamptz,
      processed_at timestamptz,
      metadata jsonb
    )`,
  fill: `insert into dead_letter_queue (event_id, event_type, payload, error_message, error_type, source_topic, consumer_group,
      status, retry_count, max_retries, first_failure_at, last_failure_at, next_retry_at, metadata)
    select 'evt-' || n, 'order.created', jsonb_build_object('n', n), 'timeout', 'Timeout', 'orders', 'billing',
      (array['pending', 'retrying', 'succeeded', 'permanent_failed'])[1 + n % 4], n % 3, 4 * (n % 2) - 1, '2026-01-01Z', '2026-01-02Z', '2100-01-01Z',
      '{"trace_id": "t1", "span_id": "s1"}'`,
  insert: `insert into dead_letter_queue (event_id, event_type, payload, error_message, source_topic, consumer_group, metadata)
    values ($1::jsonb ->> 'key', 'order.created', $1, 'timeout', 'orders', 'billing', '{"trace_id": "t1"}') returning id`,
  payload: 'payload',
  copied: {
    query: `select event_id, event_type, error_reason, error_class, source_topic, consumer_group, status, retry_count, max_retries,
        trace_id, last_failure_at = '2026-01-02Z' as failed_at, retry_after = '2100-01-01Z' as retry_after, metadata
      from dlq_events where event_key = 'dead_letter_queue:7'`,
    event: {
      event_id: 'evt-7',
      event_type: 'order.created',
      error_reason: 'timeout',
      error_class: 'Timeout',
      source_topic: 'orders',
      consumer_group: 'billing',
      status: 'FAILED_PERMANENTLY',
      retry_count: 1,
      max_retries: 3,
      trace_id: 't1',
      failed_at: true,
      retry_after: true,
      metadata: { trace_id: 't1', span_id: 's1', adopted: 7 },
    },
  },
};

/** The application moves rows of its table `events` into it. */
export const japaneseTable: AdoptedTable = {
  file: 'dead_letter.sql',
  name: 'dead_letter',
  ddl: `
    create table dead_letter (
      id bigserial primary key,
      event_id bigint,
      payload jsonb,
      error_message text,
      attempted_at timestamptz default now()
    );
    create table events (id bigserial primary key, data jsonb);
    grant all on events, events_id_seq to public`,
  fill: `insert into dead_letter (event_id, payload, error_message, attempted_at)
    select 1000000 + n, jsonb_build_object('n', n), 'timeout', '2026-01-01Z'`,
  insert: `with added as (insert into events (data) values ($1::jsonb) returning id, data)
    insert into dead_letter (event_id, payload, error_message) select id, data, 'timeout' from added returning id`,
  payload: 'payload',
  copied: {
    query: `select event_id, event_type, error_reason, status, created_at = '2026-01-01Z' as failed_at, metadata
      from dlq_events where event_key = 'dead_letter:7'`,
    event: {
      event_id: 'events/1000007',
      event_type: 'dead_letter',
      error_reason: 'timeout',
      status: 'PENDING',
      failed_at: true,
      metadata: { adopted: 7 },
    },
  },
};

export const ownTable: AdoptedTable = {
  file: 'template.sql',
  name: 'failed_jobs',
  ddl: `
    create table failed_jobs (
      id bigserial primary key,
      queue text not null,
      message text not null,
      error text,
      state text not null default 'open',
      tries int not null default 0,
      failed_at timestamptz not null default now()
    )`,
  fill: `insert into failed_jobs (queue, message, error, state, tries, failed_at)
    select 'mails', '{"n":  ' || n || '}', 'timeout', (array['open', 'dead', 'done'])[1 + n % 3], 2 * (n % 3) - 1, '2026-01-01Z'`,
  insert: `insert into failed_jobs (queue, message, error) values ('mails', $1, 'timeout') returning id`,
  payload: 'message::jsonb',
  copied: {
    query: `select event_type, convert_from(body, 'UTF8') as message, error_reason, status, retry_count, metadata
      from dlq_events where event_key = 'failed_jobs:7'`,
    event: {
      event_type: 'mails',
      message: '{"n":  7}',
      error_reason: 'timeout',
      status: 'FAILED_PERMANENTLY',
      retry_count: 1,
      metadata: { adopted: 7 },
    },
  },
};
