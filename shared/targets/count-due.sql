-- Events of some :lanes that are due now, counted up to :max. One index range per lane and priority.
with recursive pairs as (
  (
    select lane, priority from dlq_events
    where is_open and lane = any (:lanes::bigint[])
    order by lane, priority limit 1
  )
  union all
  select following.lane, following.priority
  from pairs
  cross join lateral (
    select lane, priority from dlq_events
    where is_open and (lane, priority) > (pairs.lane, pairs.priority)
    order by lane, priority limit 1
  ) as following
)
select count(*)::int as due
from (
  select
  from pairs
  cross join lateral (
    select
    from dlq_events
    where is_open and lane = pairs.lane and priority = pairs.priority and retry_after <= now() and status <> 'PROCESSING'
    order by retry_after
    limit :max::int
  ) as due
  where pairs.lane = any (:lanes::bigint[])
  limit :max::int
) as counted;
