-- The number of open events created more than :days days ago, and the time of the oldest. Open events have no
-- processed_at, the predicate of the index dlq_events_age, which answers this alone. The filters are in the
-- select list: with a WHERE on created_at the planner would search all events.
select
  (count(*) filter (where created_at < now() - make_interval(days => :days::int)))::int as events,
  min(created_at) as oldest
from dlq_events
where processed_at is null;
