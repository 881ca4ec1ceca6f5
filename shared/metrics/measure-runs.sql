-- Ticks and replays of the last 24 hours, the last tick that ended, before the first one the time since
-- maintain first measured its jobs, and the events that wait in paused replays.
select
  extract(epoch from now() - coalesce(
    (
      select ended_at
      from dlq_runs
      where trigger = 'schedule' and stopped <> 'failed'
      order by id desc
      limit 1
    ),
    (select min(known_since) from dlq_jobs)
  ))::float8 as last_tick_age_seconds,
  (
    select extract(epoch from ended_at - started_at)::float8
    from dlq_runs
    where trigger = 'schedule' and ended_at is not null
    order by id desc
    limit 1
  ) as last_tick_duration_seconds,
  (
    select coalesce(sum(waiting), 0)::float8
    from dlq_runs
    where ended_at is null and paused_because is not null
  ) as paused_run_events,
  count(*)::float8 as runs_24h,
  coalesce(max(extract(epoch from ended_at - started_at)), 0)::float8 as longest_run_seconds,
  coalesce(sum((tally ->> 'stale')::int), 0)::float8 as stale_settlements
from dlq_runs
where started_at > now() - interval '24 hours';
