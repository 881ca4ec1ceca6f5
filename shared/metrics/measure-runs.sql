-- The last tick that ended, before the first one the time since maintain first measured its jobs, the events
-- that wait in paused replays, and late outcomes of the last 24 hours.
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
    select coalesce(sum(waiting), 0)::float8
    from dlq_runs
    where ended_at is null and paused_because is not null
  ) as paused_run_events,
  coalesce(sum((tally ->> 'stale')::int), 0)::float8 as stale_settlements
from dlq_runs
where started_at > now() - interval '24 hours';
