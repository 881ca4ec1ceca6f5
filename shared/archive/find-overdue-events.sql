-- The number of open events created more than :openDays days ago, the time of the oldest, and the number of
-- permanent failures that nobody decided for more than :undecidedDays days. Open events have no processed_at,
-- the predicate of the index dlq_events_age, which answers this alone. The filters are in the select list:
-- with a WHERE on created_at the planner would search all events.
select
  (count(*) filter (where created_at < now() - make_interval(days => :openDays::int)))::int as overdue,
  min(created_at) as oldest,
  (
    select count(*)::int
    from dlq_events
    where processed_at < now() - make_interval(days => :undecidedDays::int) and is_blocking and not is_open
  ) as undecided
from dlq_events
where processed_at is null;
