-- Counts the events of :ids in ordered :lanes that wait for an earlier event of their key which is not among
-- them, with one of them as an example.
select count(*)::int as events, min(event.id)::text as example
from dlq_events as event
cross join lateral (
  select dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), id) as blocked_by offset 0
) as key
where event.id = any (:ids::bigint[]) and event.lane = any (:lanes::bigint[])
  and blocked_by is not null and blocked_by <> all (:ids::bigint[]);
