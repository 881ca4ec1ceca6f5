select lane, (
  select count(*)::int
  from (select from dlq_events where is_open and dlq_events.lane = named.lane limit :max::int) as some_of_it
) as events
from unnest(:lanes::bigint[]) as named (lane);
