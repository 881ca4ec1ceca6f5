-- Counts: how many events are in each state, and what happened to them, exact at any time without reading events.
--
-- Triggers on dlq_events append the changes of each statement to dlq_count_deltas: a few rows for any number of
-- events. shared/counts/aggregate-counts.sql moves these rows into the sums below, which are named by their grain; the
-- views (012_views.sql) add sums and deltas. Sums that every statement updated would lock: one open transaction would stop all
-- captures of its event type. No statement waits for an appended row, and a rollback removes its own.

create table dlq_count_deltas (
  -- The hour of the change, or of the capture of its events.
  hour               timestamptz not null,
  event_type         text not null,
  -- Empty while the fingerprint is unknown, here and in the sums.
  fingerprint        text not null,
  lease_expires_at   timestamptz,
  -- Change in the number of events in each status.
  pending            integer not null,
  processing         integer not null,
  succeeded          integer not null,
  failed_permanently integer not null,
  discarded          integer not null,
  -- Number of each change.
  captures           integer not null,
  recurrences        integer not null,
  retry_failures     integer not null,
  deliveries         integer not null,
  permanent_failures integer not null,
  discards           integer not null,
  -- Of the error group.
  sample_event_id    bigint,
  first_seen_at      timestamptz,
  last_seen_at       timestamptz,
  -- Captures that contradict the event of their key.
  conflicts          integer not null default 0,
  -- The minute of the change, or of the capture of its events; of captures before yesterday their hour.
  minute             timestamptz not null default date_trunc('minute', now(), 'UTC')
)
-- Filled and emptied all day: vacuumed after every 5,000 dead rows, however large it once was.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

comment on table dlq_count_deltas is 'Counts: changes by statement, until they are aggregated into dlq_counts_* and dlq_error_groups.';

-- Events in PROCESSING have a row for each end of a lease, so that expired leases are counted without reading events; all
-- other rows have no lease_expires_at. An index on dlq_events (lease_expires_at) instead would make every claim and
-- settlement write all indexes.
create table dlq_counts_current (
  event_type         text not null,
  fingerprint        text not null,
  lease_expires_at   timestamptz,
  pending            bigint not null,
  processing         bigint not null,
  succeeded          bigint not null,
  failed_permanently bigint not null,
  discarded          bigint not null,

  constraint dlq_counts_current_grain unique nulls not distinct (fingerprint, event_type, lease_expires_at)
)
with (fillfactor = 70);

create index dlq_counts_current_leases on dlq_counts_current (lease_expires_at) where lease_expires_at is not null;

comment on table dlq_counts_current is 'Counts: events now, by type, error group and end of lease, without dlq_count_deltas. Read the view dlq_depths.';

create table dlq_counts_hourly (
  hour               timestamptz not null,
  event_type         text not null,
  fingerprint        text not null,
  captures           bigint not null,
  recurrences        bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null,

  primary key (hour, event_type, fingerprint)
)
with (fillfactor = 70);

create index dlq_counts_hourly_fingerprint on dlq_counts_hourly (fingerprint, hour);

comment on table dlq_counts_hourly is 'Counts: what happened, by hour, type and error group, without dlq_count_deltas. Read the view dlq_counts_by_hour.';

-- Apart from the minutes, the next tables repeat sums of dlq_counts_hourly because it is too large to add up for a page: with 360,000 rows,
-- 60 days, it takes 295 ms for the hours of the overview, 115 ms for its error groups and 112 ms for the metrics by type;
-- these tables answer in 2.4, 4.6 and 0.4 ms.

create table dlq_counts_hourly_totals (
  hour               timestamptz primary key,
  captures           bigint not null,
  recurrences        bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null
)
with (fillfactor = 70);

comment on table dlq_counts_hourly_totals is 'Counts: what happened, by hour, without dlq_count_deltas. Read the view dlq_failures_by_hour.';

-- The last day only, for charts of an hour: the aggregation deletes older rows. A row without fingerprint is the sum of its minute:
-- in an outage of 300 errors, adding up twelve hours for a page takes 50 ms.
create table dlq_counts_minutely (
  minute      timestamptz not null,
  fingerprint text,
  failures    bigint not null,
  deliveries  bigint not null,

  constraint dlq_counts_minutely_grain unique nulls not distinct (fingerprint, minute)
)
with (fillfactor = 70);

create index dlq_counts_minutely_minute on dlq_counts_minutely (minute);

comment on table dlq_counts_minutely is 'Counts: failures and deliveries of the last day, by minute, in all and by error group, without dlq_count_deltas.';

-- A day begins at midnight in UTC.
create table dlq_counts_daily (
  day         timestamptz not null,
  fingerprint text not null,
  failures    bigint not null,

  primary key (day, fingerprint)
)
with (fillfactor = 70);

comment on table dlq_counts_daily is 'Counts: captures and recurrences, by day (UTC) and error group, without dlq_count_deltas.';

-- Hours are purged after 400 days, lifetime sums never: a Prometheus counter must not decrease. The id is the order in which
-- event types were first seen; the first 100 have metrics of their own.
create table dlq_counts_lifetime (
  id                 integer generated always as identity unique,
  event_type         text primary key,
  captures           bigint not null,
  recurrences        bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null,
  conflicts          bigint not null default 0
)
with (fillfactor = 70);

comment on table dlq_counts_lifetime is 'Counts: what happened since the first migration, by type, without dlq_count_deltas.';
