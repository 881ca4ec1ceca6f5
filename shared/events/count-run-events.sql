-- The number of events of a replay, counted up to :max to bound the cost. Each is looked up, since archived
-- events are not among them: without statistics about a new run, the planner would join it with all events.
select count(*)::int as events
from (
  select from dlq_run_events as run_event
  cross join lateral (select from dlq_events where id = run_event.event_id offset 0) as event
  where run_id = :run::bigint
  limit :max::int
) as counted;
