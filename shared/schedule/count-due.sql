-- Counts the events of :lanes that are due now and those due within :soonSeconds, up to :max rows of each lane and priority. It
-- compares as claim-events.sql does. `earliest` is when the next event that is not due yet becomes due.
with recursive pairs as (
  (
    select lane, priority from dlq_events
    where is_open
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
),
wanted as materialized (
  select lane, priority from pairs where lane = any (:lanes::bigint[])
)
select
  lane, sum(due.events)::int as due, sum(soon.events)::int as soon, min(soon.earliest) as earliest,
  max(greatest(due.events, soon.events)) < :max::int as is_exact
from wanted
cross join lateral (
  select count(*) as events
  from (
    select from dlq_events
    where is_open and lane = wanted.lane and priority = wanted.priority and retry_after <= now()
      and (status <> 'PROCESSING' or lease_expires_at <= now())
    order by retry_after
    limit :max
  ) as first
) as due
cross join lateral (
  select count(*) as events, min(retry_after) as earliest
  from (
    select retry_after from dlq_events
    where is_open and lane = wanted.lane and priority = wanted.priority
      and retry_after > now() and retry_after <= now() + make_interval(secs => :soonSeconds)
      and (status <> 'PROCESSING' or lease_expires_at <= now())
    order by retry_after
    limit :max
  ) as first
) as soon
group by lane;
