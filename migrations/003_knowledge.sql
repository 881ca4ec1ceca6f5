-- What the office knows beside the events: the health of targets, the reasons of failures, the archive.

create table dlq_breakers (
  target               text primary key,
  state                text not null default 'CLOSED',
  consecutive_failures integer not null default 0,
  -- Of late: both are halved whenever they grow large.
  deliveries           integer not null default 0,
  failures             integer not null default 0,
  opened_at            timestamptz,
  cooldown_seconds     double precision,
  probe_after          timestamptz,
  updated_at           timestamptz not null default now(),

  constraint dlq_breakers_state check (state in ('CLOSED', 'OPEN', 'HALF_OPEN')),
  constraint dlq_breakers_opened check (
    (state = 'CLOSED') = (opened_at is null) and (state = 'CLOSED') = (probe_after is null))
);

comment on table dlq_breakers is 'One row per target that failed: stops deliveries while the target is down.';

-- One bucket of tokens per route with a ratePerSecond, for all instances together.
create table dlq_rates (
  route       text primary key,
  tokens      double precision not null,
  -- What the last asker got: an upsert can return it only as a column.
  granted     integer not null,
  refilled_at timestamptz not null default now()
);

comment on table dlq_rates is 'How many deliveries each rate-limited route has left for now.';

create table dlq_error_groups (
  fingerprint   text primary key,
  state         text not null default 'OPEN',
  error_class   text,
  sample_reason text not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  owner         text,
  note          text,

  constraint dlq_error_groups_state check (state in ('OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'RETURNED')),
  constraint dlq_error_groups_seen_in_order check (first_seen_at <= last_seen_at)
);

comment on table dlq_error_groups is 'Events that failed for the same reason, by fingerprint, and what people say about it.';

-- Same columns in the same order as dlq_events, so that INSERT INTO ... SELECT * moves rows. The default
-- partition takes what no month was made for: a row in the archive is better than an error.
create table dlq_events_archive (like dlq_events) partition by range (created_at);
create table dlq_events_archive_default partition of dlq_events_archive default;
create index dlq_events_archive_id on dlq_events_archive (id);
create index dlq_events_archive_event_key on dlq_events_archive (event_key);

comment on table dlq_events_archive is 'Closed events after their time in dlq_events, by month of capture.';
