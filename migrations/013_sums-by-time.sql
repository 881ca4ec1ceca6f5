-- What happened in each hour to all events together, and how often each error group failed on each day: the console asks
-- for a month, in which a busy office has hundreds of thousands of rows in dlq_counts.

create table dlq_hour_counts (
  hour               timestamptz primary key,
  captures           bigint not null,
  returns            bigint not null,
  retry_failures     bigint not null,
  deliveries         bigint not null,
  permanent_failures bigint not null,
  discards           bigint not null
)
with (fillfactor = 70);

comment on table dlq_hour_counts is 'What dlq_counts holds of each hour, of all event types and error groups.';

-- A day begins at midnight in UTC.
create table dlq_day_counts (
  day         timestamptz not null,
  fingerprint text not null,
  failures    bigint not null,

  primary key (day, fingerprint)
)
with (fillfactor = 70);

comment on table dlq_day_counts is 'Captures and returns that dlq_counts holds of each day, by error group.';

-- Whoever folds deletes from dlq_changes, functions of an earlier version included, that go on until a deployment has
-- replaced them: so these sums are made here, and not by the statement that folds.
create function dlq_sum_by_time() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into dlq_hour_counts as known
  select hour, sum(captures), sum(returns), sum(retry_failures), sum(deliveries), sum(permanent_failures), sum(discards)
  from folded
  where (captures, returns, retry_failures, deliveries, permanent_failures, discards) <> (0, 0, 0, 0, 0, 0)
  group by hour
  on conflict (hour) do update
  set captures = known.captures + excluded.captures,
      returns = known.returns + excluded.returns,
      retry_failures = known.retry_failures + excluded.retry_failures,
      deliveries = known.deliveries + excluded.deliveries,
      permanent_failures = known.permanent_failures + excluded.permanent_failures,
      discards = known.discards + excluded.discards;

  insert into dlq_day_counts as known
  select date_trunc('day', hour, 'UTC'), fingerprint, sum(captures + returns)
  from folded
  where captures + returns <> 0
  group by 1, 2
  on conflict (day, fingerprint) do update
  set failures = known.failures + excluded.failures;
  return null;
end
$$;

revoke execute on function dlq_sum_by_time from public;

-- Nobody folds until this is done.
select pg_advisory_xact_lock(hashtextextended('dlq_changes', 0));

insert into dlq_hour_counts
select hour, sum(captures), sum(returns), sum(retry_failures), sum(deliveries), sum(permanent_failures), sum(discards)
from dlq_counts
group by hour;

insert into dlq_day_counts
select date_trunc('day', hour, 'UTC'), fingerprint, sum(captures + returns)
from dlq_counts
group by 1, 2
having sum(captures + returns) <> 0;

create trigger dlq_changes_sum_by_time after delete on dlq_changes
referencing old table as folded for each statement execute function dlq_sum_by_time();

create or replace view dlq_failures_by_hour with (security_invoker) as
select
  hour, sum(captures) as captures, sum(returns) as returns, sum(deliveries) as deliveries,
  sum(permanent_failures) as permanent_failures, sum(discards) as discards,
  round(sum(permanent_failures) / nullif(sum(deliveries + permanent_failures), 0), 3) as permanent_failure_ratio
from (
  select hour, captures, returns, deliveries, permanent_failures, discards from dlq_hour_counts
  union all
  select hour, captures, returns, deliveries, permanent_failures, discards from dlq_changes
) as hours
where hour > now() - interval '7 days'
group by hour
order by hour desc;

grant select on dlq_hour_counts, dlq_day_counts to dlq_console, dlq_readonly;
grant select, delete on dlq_hour_counts, dlq_day_counts to dlq_maintain;
-- Figures of the last hours are read from this view now.
grant select on dlq_failures_by_hour to dlq_maintain;
revoke select on dlq_hours from dlq_maintain;
