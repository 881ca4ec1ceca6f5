-- Open events in the :lanes, counted up to :max.
select count(*)::float8 as events
from (
  select from dlq_events where is_open and lane = any (:lanes::bigint[]) limit :max::int
) as waiting;
