-- How many open events were created before :before, and when the oldest was. What is open has no processed_at: the index of
-- ages alone answers it. All of it is counted, as the planner would else look for them among all that was ever created.
select
  (count(*) filter (where created_at < :before))::int as events, min(created_at) filter (where created_at < :before) as oldest
from dlq_events
where processed_at is null;
