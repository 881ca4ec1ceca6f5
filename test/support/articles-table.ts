/** The table as the articles print it. */
export const articlesTable = `
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
    updated_at timestamptz not null default now()
  );
  create index dlq_events_due on dlq_events (status, retry_after);
  create index idx_dlq_events_created_at on dlq_events (created_at)`;

/** Inserts $1 rows of three statuses, which are not due. */
export const someRows = `
  insert into dlq_events (event_type, payload, error_reason, status, retry_count, created_at, retry_after)
  select 'order.created', jsonb_build_object('n', n), 'timeout', (array['PENDING', 'SUCCEEDED', 'FAILED_PERMANENTLY'])[1 + n % 3],
    n % 7, now() - n * interval '1 minute', now() + interval '1 day'
  from generate_series(1, $1::int) n`;
