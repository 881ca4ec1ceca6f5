-- The fields that routes match, of the first :max waiting events of a run.
select event_type, source_kind, source_topic, consumer_group
from (
  select event_id from dlq_run_events
  where run_id = :runId::bigint and outcome = 'waiting'
  order by position
  limit :max::int
) as waiting
cross join lateral (
  select event_type, source_kind, source_topic, consumer_group
  from dlq_events
  where id = waiting.event_id
  limit 1
) as event;
