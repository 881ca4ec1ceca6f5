-- The number of permanent failures that nobody decided for more than :days days.
select count(*)::int as events
from dlq_events
where processed_at < now() - make_interval(days => :days::int) and is_blocking and not is_open;
