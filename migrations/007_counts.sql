-- How many events there are and what became of them, counted by whatever statement changes them (008_counting.sql).
-- Each appends what it changed to dlq_changes, a few rows however many events it touched, and from there a function of
-- the product folds it into the sums. Nobody ever waits for a row that somebody else is counting in: a transaction that
-- stays open holds up no other. A rollback takes its counts with it.

create table dlq_changes (
  -- The hour of the act, or that of the capture.
  hour               timestamptz not null,
  event_type         text not null,
  fingerprint        text not null,
  lease_expires_at   timestamptz,
  -- How many more there are now of each status; negative: fewer.
  pending            integer not null,
  processing         integer not null,
  succeeded          integer not null,
  failed_permanently integer not null,
  discarded          integer not null,
  -- What happened.
  captures           integer not null,
  returns            integer not null,
  retry_failures     integer not null,
  deliveries         integer not null,
  permanent_failures integer not null,
  discards           integer not null,
  sample_event_id    bigint,
  first_seen_at      timestamptz,
  last_seen_at       timestamptz
)
-- Filled and emptied all day: vacuumed after every few thousand rows, however large it once was.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

comment on table dlq_changes is 'Counts that are not yet folded into dlq_totals, dlq_counts, dlq_leases and dlq_error_groups.';

-- A fingerprint that is not known yet is the empty text.
create table dlq_totals (
  event_type         text not null,
  fingerprint        text not null,
  pending            bigint not null,
  processing         bigint not null,
  succeeded          bigint not null,
  failed_permanently bigint not null,
  discarded          bigint not null,

  primary key (event_type, fingerprint)
)
with (fillfactor = 70);

comment on table dlq_totals is 'Events in dlq_events by status, without what dlq_changes still holds: read the view dlq_depths.';

create table dlq_counts (
  hour               timestamptz not null,
  event_type         text not null,
  fingerprint        text not null,
  captures           bigint not null,
  returns            bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null,

  primary key (hour, event_type, fingerprint)
)
with (fillfactor = 70);

create index dlq_counts_fingerprint on dlq_counts (fingerprint, hour);

comment on table dlq_counts is 'What happened in each hour, without what dlq_changes still holds: read the view dlq_hours.';

-- In the order in which event types were first seen, which never changes: so many of them have a metric of their own.
create table dlq_counters (
  id                 integer generated always as identity unique,
  event_type         text primary key,
  captures           bigint not null,
  returns            bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null
)
with (fillfactor = 70);

comment on table dlq_counters is 'What ever happened to the events of each type, without what dlq_changes still holds.';

create table dlq_leases (
  lease_expires_at timestamptz primary key,
  events           bigint not null
);

create index dlq_runs_started on dlq_runs (started_at);

comment on table dlq_leases is 'Events in PROCESSING by the end of their lease, without what dlq_changes still holds.';

create view dlq_depths with (security_invoker) as
select
  event_type, fingerprint, sum(pending)::bigint as pending, sum(processing)::bigint as processing, sum(succeeded)::bigint as succeeded,
  sum(failed_permanently)::bigint as failed_permanently, sum(discarded)::bigint as discarded
from (
  select event_type, fingerprint, pending, processing, succeeded, failed_permanently, discarded from dlq_totals
  union all
  select event_type, fingerprint, pending, processing, succeeded, failed_permanently, discarded from dlq_changes
) as sums
group by event_type, fingerprint;

comment on view dlq_depths is 'How many events of each type and error group are in each status right now. Exact.';

create view dlq_hours with (security_invoker) as
select
  hour, event_type, fingerprint, sum(captures)::bigint as captures, sum(returns)::bigint as returns,
  sum(retry_failures)::bigint as retry_failures, sum(deliveries)::bigint as deliveries, sum(permanent_failures)::bigint as permanent_failures,
  sum(discards)::bigint as discards
from (
  select hour, event_type, fingerprint, captures, returns, retry_failures, deliveries, permanent_failures, discards
  from dlq_counts
  union all
  select hour, event_type, fingerprint, captures, returns, retry_failures, deliveries, permanent_failures, discards
  from dlq_changes
) as sums
group by hour, event_type, fingerprint;

comment on view dlq_hours is 'What happened in each hour (UTC) to the events of each type and error group. Exact.';

create view dlq_lease_ends with (security_invoker) as
select lease_expires_at, sum(events)::bigint as events
from (
  select lease_expires_at, events from dlq_leases
  union all
  select lease_expires_at, processing from dlq_changes where lease_expires_at is not null
) as sums
group by lease_expires_at
having sum(events) <> 0;

comment on view dlq_lease_ends is 'How many events are in PROCESSING, by the end of their lease. Exact.';

-- Whoever looks at the sums folds them first; so does every tick.
grant select, delete on dlq_changes to dlq_retry, dlq_maintain;
grant select, insert, update on dlq_totals, dlq_counts, dlq_counters, dlq_error_groups to dlq_retry, dlq_maintain;
grant select, insert, update, delete on dlq_leases to dlq_retry, dlq_maintain;
grant select on dlq_changes, dlq_totals, dlq_counts, dlq_counters, dlq_leases, dlq_depths, dlq_hours, dlq_lease_ends
to dlq_readonly;

-- maintain measures all of this. Without the right to see others' sessions it cannot tell for how long they have a
-- transaction open; whoever migrates may not be allowed to give it.
grant select on dlq_depths, dlq_hours, dlq_lease_ends, dlq_runs, dlq_breakers to dlq_maintain;
do $$
begin
  grant pg_read_all_stats to dlq_maintain;
exception when insufficient_privilege then
  raise notice 'dlq_maintain cannot see the transactions of others: GRANT pg_read_all_stats TO dlq_maintain.';
end
$$;

-- And forgets what is long past.
grant delete on dlq_totals, dlq_counts, dlq_error_groups to dlq_maintain;

-- maintain reads the reasons of events that have no fingerprint, and wakes groups, as a person would.
grant update (fingerprint) on dlq_events to dlq_maintain;
grant insert (actor, act, details) on dlq_audit to dlq_maintain;
