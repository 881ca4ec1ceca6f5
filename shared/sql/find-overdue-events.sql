-- How many open events were created before :before, and when the oldest was. What is open has no processed_at: the index of
-- ages alone answers it.
select count(*)::int as events, min(created_at) as oldest
from dlq_events
where processed_at is null and created_at < :before;
