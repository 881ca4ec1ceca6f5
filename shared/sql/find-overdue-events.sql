-- How many open events were created before :before, and when the oldest was.
select count(*)::int as events, min(created_at) as oldest
from dlq_events
where is_open and created_at < :before;
