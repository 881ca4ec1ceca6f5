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
  fingerprint         text primary key,
  state               text not null default 'OPEN',
  -- Class and message without what belongs to a single event. Null for the moment between the first failure and the
  -- function that reads it.
  title               text,
  -- The latest event; it may be in the archive by now.
  sample_event_id     bigint,
  first_seen_at       timestamptz not null,
  last_seen_at        timestamptz not null,
  -- Captures and returns, ever.
  failures            bigint not null,
  owner               text,
  note                text,
  state_changed_at    timestamptz not null default now(),
  -- A group is muted until a moment, a number of failures ever, or more failures than so many within an hour.
  muted_until         timestamptz,
  muted_until_failure bigint,
  muted_until_hourly  integer,

  constraint dlq_error_groups_state check (state in ('OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'RETURNED')),
  constraint dlq_error_groups_muted_until check (
    (state = 'MUTED') = (num_nonnulls(muted_until, muted_until_failure, muted_until_hourly) > 0)),
  constraint dlq_error_groups_seen_in_order check (first_seen_at <= last_seen_at)
);

create index dlq_error_groups_seen on dlq_error_groups (last_seen_at, fingerprint);
create index dlq_error_groups_untitled on dlq_error_groups (fingerprint) where title is null;
-- What changes by itself: muted groups, and resolved ones that are seen again.
create index dlq_error_groups_waiting on dlq_error_groups (fingerprint) where state in ('MUTED', 'RESOLVED');

comment on table dlq_error_groups is 'Events that failed for the same reason, by fingerprint, and what people say about it.';

-- The acts of people on a group.
create index dlq_audit_group on dlq_audit ((details ->> 'fingerprint'), id) where details ? 'fingerprint';

-- Same columns in the same order as dlq_events, so that INSERT INTO ... SELECT * moves rows. The default
-- partition takes what no month was made for: a row in the archive is better than an error.
create table dlq_events_archive (like dlq_events) partition by range (created_at);
create table dlq_events_archive_default partition of dlq_events_archive default;
create index dlq_events_archive_id on dlq_events_archive (id);
create index dlq_events_archive_event_key on dlq_events_archive (event_key);

comment on table dlq_events_archive is 'Closed events after their time in dlq_events, by month of capture.';
