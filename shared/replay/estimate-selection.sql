-- Counts the events that a filter matches by lane, status and skip reason. The events of a lane share all fields that
-- routes match.
select
  lane, event_type, source_kind, source_topic, consumer_group, status, skip_reason,
  count(*)::int as events, count(edit_run_id)::int as edited, min(created_at) as oldest, max(created_at) as newest
from (
  select event.*, dlq_skip_reason(status, lease_expires_at, edit_run_id, :includeSucceeded, :includeDiscarded) as skip_reason
  from dlq_events as event
  where {filter}
) as matching
group by lane, event_type, source_kind, source_topic, consumer_group, status, skip_reason
order by events desc, lane, status;
