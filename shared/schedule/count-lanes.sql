select lane, least(counted, :max::int) as events, counted <= :max::int as is_exact
from unnest(:lanes::bigint[]) as named (lane)
cross join lateral (
  select count(*)::int as counted
  from (select from dlq_events where is_open and dlq_events.lane = named.lane limit :max + 1) as some_of_it
) as open;
