-- Spreads what a demo did since it was opened over two days, busier by day than by night, so that pictures of it have a
-- past to show:
--   psql "$(cat .data/url)" -f docs/screenshots/stretch-demo.sql
begin;

create temporary table span as
select now() as until, extract(epoch from now() - min(created_at)) as seconds from dlq_events;

create function pg_temp.stretch(at timestamptz) returns timestamptz language sql stable as $$
  select until - interval '44 hours' * (share + 0.07 * sin(4 * pi() * share))
  from span, lateral (select extract(epoch from until - at) / seconds as share) as age
$$;

update dlq_events
set created_at = pg_temp.stretch(created_at), first_failure_at = pg_temp.stretch(first_failure_at),
    last_failure_at = pg_temp.stretch(last_failure_at), processed_at = pg_temp.stretch(processed_at),
    occurred_at = pg_temp.stretch(occurred_at);
update dlq_attempts set started_at = pg_temp.stretch(started_at);
update dlq_runs
set started_at = pg_temp.stretch(started_at), ended_at = pg_temp.stretch(started_at) + (ended_at - started_at);
update dlq_error_groups
set first_seen_at = pg_temp.stretch(first_seen_at), last_seen_at = pg_temp.stretch(last_seen_at);

-- Counts the hours again.
update dlq_count_deltas
set captures = 0, recurrences = 0, retry_failures = 0, deliveries = 0, permanent_failures = 0, discards = 0;
delete from dlq_counts where hour is not null;
insert into dlq_counts
  (hour, event_type, fingerprint, captures, recurrences, retry_failures, deliveries, permanent_failures, discards)
select
  date_trunc('hour', at, 'UTC') as hour, event_type, fingerprint, sum(captured), 0, 0, sum(delivered),
  sum(permanent_failures), 0
from (
  select
    created_at as at, event_type, coalesce(fingerprint, '') as fingerprint, 1 as captured, 0 as delivered,
    0 as permanent_failures
  from dlq_events
  union all
  select
    processed_at, event_type, coalesce(fingerprint, ''), 0, (status = 'SUCCEEDED')::int,
    (status = 'FAILED_PERMANENTLY')::int
  from dlq_events
  where processed_at is not null
) as happened
group by grouping sets ((hour, event_type, fingerprint), (hour));

commit;
