-- The number of events that a filter matches, counted up to :max to bound the cost.
select count(*)::int as events
from (select from dlq_events as event where ({filter}) limit :max::int) as counted;
