-- What a filter matches, by lane and status, and by the reason for which an event would be left out. A route is chosen by
-- what the events of a lane have in common.
select
  lane, event_type, source_kind, source_topic, consumer_group, status, left_out,
  count(*)::int as events, min(created_at) as oldest, max(created_at) as newest
from (
  select event.*, dlq_obstacle(status, lease_expires_at, :includeSucceeded, :includeDiscarded) as left_out
  from dlq_events as event
  where :filter
) as matching
group by lane, event_type, source_kind, source_topic, consumer_group, status, left_out
order by events desc, lane, status;
