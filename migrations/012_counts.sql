-- Counts: how many events are in each state, and what happened to them, exact at any time without reading
-- events.
--
-- Triggers on dlq_events append the changes of each statement to dlq_count_deltas: a few rows for any number
-- of events. shared/counts/aggregate-counts.sql moves these rows into dlq_counts. Sums that every
-- statement updated would lock: one open transaction would stop all captures of its event type. No statement
-- waits for an appended row, and a rollback removes its own.
--
-- Every reader adds up sums and deltas, by the views at the end of this file.

create table dlq_count_deltas (
  -- The hour of the change, or of the capture of its events.
  hour               timestamptz not null,
  event_type         text not null,
  -- Empty while the fingerprint is unknown, here and in the sums.
  fingerprint        text not null,
  -- Change in the number of events in each status.
  pending            bigint not null,
  processing         bigint not null,
  succeeded          bigint not null,
  failed_permanently bigint not null,
  discarded          bigint not null,
  -- Number of each change.
  captures           bigint not null,
  recurrences        bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null,
  -- Of the error group.
  sample_event_id    bigint,
  first_seen_at      timestamptz,
  last_seen_at       timestamptz,
  -- Captures that contradict the event of their key.
  conflicts          bigint not null default 0
)
-- Filled and emptied all day: vacuumed after every 5,000 dead rows, however large it once was.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = -1);

-- A publication of all tables rejects updates and deletes in a table without an identity of its rows.
alter table dlq_count_deltas replica identity full;
comment on table dlq_count_deltas is
  'Counts: changes by statement, until they are aggregated into dlq_counts and dlq_error_groups.';

-- Without an hour, the events of now and what happened since the first migration: hours are purged, and a
-- Prometheus counter must not decrease. The row of a type without fingerprint is about all of its error
-- groups, and the row without type about all events: metrics read a hundred of these, however many types
-- there are.
--
-- With an hour, what happened then, by error group: after 8 days by day (UTC), which maintain adds up. 250
-- groups that fail in each hour have 150,000 rows instead of 2,400,000 in 400 days. In all: the row of an
-- hour without type and error group. With 10,000 error groups in a day, adding these up for the chart of the
-- overview takes 25 ms, and for a month a multiple.
create table dlq_counts (
  hour               timestamptz,
  event_type         text,
  fingerprint        text,
  pending            bigint not null default 0,
  processing         bigint not null default 0,
  succeeded          bigint not null default 0,
  failed_permanently bigint not null default 0,
  discarded          bigint not null default 0,
  captures           bigint not null default 0,
  recurrences        bigint not null default 0,
  retry_failures     bigint not null default 0,
  deliveries         bigint not null default 0,
  permanent_failures bigint not null default 0,
  discards           bigint not null default 0,
  conflicts          bigint not null default 0,
  -- The order in which types were first counted; the first 100 have metrics of their own.
  counted_since      timestamptz not null default now(),

  constraint dlq_counts_grain unique nulls not distinct (hour, fingerprint, event_type),
  constraint dlq_counts_in_all check (
    num_nulls(fingerprint, event_type) = 0 or fingerprint is null and num_nonnulls(hour, event_type) < 2)
)
with (fillfactor = 70);

create index dlq_counts_types on dlq_counts (counted_since, event_type)
  where hour is null and fingerprint is null;
create index dlq_counts_fingerprint on dlq_counts (fingerprint, hour) where hour is not null;
-- The usual rate of a type: however many types there are, its own rows.
create index dlq_counts_event_type on dlq_counts (event_type, hour) where hour is not null;

alter table dlq_counts replica identity full;
comment on table dlq_counts is
  'Counts: events now and what happened so far, and what happened by hour, without dlq_count_deltas. Read '
  'dlq_depths and dlq_counts_by_hour.';

-- Not grouped: readers add the rows up for what they show. All parts have the same types, so that PostgreSQL
-- applies the conditions of a reader to each, by its indexes, and reads none with another kind of hour.

create view dlq_counts_exact with (security_invoker) as
select
  hour, event_type, fingerprint, pending, processing, succeeded, failed_permanently, discarded, captures,
  recurrences, captures + recurrences as failures, retry_failures, deliveries, permanent_failures, discards
from dlq_counts
where fingerprint is not null
union all
select
  of_hour, event_type, fingerprint, pending, processing, succeeded, failed_permanently, discarded, captures,
  recurrences, captures + recurrences, retry_failures, deliveries, permanent_failures, discards
from (
  select hour as of_hour, * from dlq_count_deltas union all select null, * from dlq_count_deltas
) as deltas;

comment on view dlq_counts_exact is
  'Rows of dlq_counts and dlq_count_deltas by type and error group, to be added up: without an hour those '
  'of now, with one what happened then.';

create view dlq_counts_totals with (security_invoker) as
select
  hour, event_type, pending, processing, succeeded, failed_permanently, discarded, captures, recurrences,
  captures + recurrences as failures, retry_failures, deliveries, permanent_failures, discards, conflicts
from dlq_counts
where fingerprint is null
union all
select
  of_hour, of_type, pending, processing, succeeded, failed_permanently, discarded, captures,
  recurrences, captures + recurrences, retry_failures, deliveries, permanent_failures, discards, conflicts
from (
  select null::timestamptz as of_hour, event_type as of_type, * from dlq_count_deltas
  union all select null, null, * from dlq_count_deltas
  union all select hour, null, * from dlq_count_deltas
) as deltas;

comment on view dlq_counts_totals is
  'The same of all error groups: of now by type and in all, and what happened by hour in all.';
