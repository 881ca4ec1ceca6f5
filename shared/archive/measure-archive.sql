-- The archived events, counted up to :max, and the first and the last capture among all of them. The index of
-- each month answers both ends; an empty archive has no row.
select oldest, newest, events
from (select min(created_at) as oldest, max(created_at) as newest from dlq_events_archive) as ends
cross join (
  select count(*)::int as events from (select from dlq_events_archive limit :max::int) as some_of_it
) as counted
where oldest is not null;
