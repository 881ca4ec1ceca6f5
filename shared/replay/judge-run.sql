-- Judges the last :max delivered events of a run: how many have failed at their consumer again, and how many
-- have not for 24 hours. By key, and up to a number that the planner does not know: without statistics
-- about a new run, it would sort all of it, and join it with all events.
with delivered as materialized (
  select event_id, failure_count, settled_at
  from dlq_run_events
  where run_id = :runId::bigint and outcome = 'delivered'
  order by position desc
  limit (select :max::int)
)
select
  count(*)::int as checked,
  (count(*) filter (where has_recurred))::int as recurred,
  (count(*) filter (where not has_recurred and settled_at <= now() - interval '24 hours'))::int as recovered
from (
  select delivered.settled_at, coalesce(event.failure_count > delivered.failure_count, false) as has_recurred
  from delivered
  left join lateral (
    select failure_count from dlq_events where id = delivered.event_id offset 0
  ) as event on true
) as judged;
