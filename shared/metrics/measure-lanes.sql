-- Every lane with open events, with the fields that a route matches on, and for how long its longest waiting event has been
-- due; negative if it is not yet due. One index lookup for each lane and priority.
with recursive pairs as (
  (
    select lane, priority from dlq_events where is_open order by lane, priority limit 1
  )
  union all
  select following.lane, following.priority
  from pairs
  cross join lateral (
    select lane, priority
    from dlq_events
    where is_open and (lane, priority) > (pairs.lane, pairs.priority)
    order by lane, priority
    limit 1
  ) as following
),
first as (
  select pairs.lane, event.*
  from pairs
  cross join lateral (
    select event_type, source_kind, source_topic, consumer_group, retry_after
    from dlq_events
    where is_open and lane = pairs.lane and priority = pairs.priority and status = 'PENDING'
      and retry_after < 'infinity'
    order by retry_after
    limit 1
  ) as event
)
select
  lane, min(event_type) as event_type, min(source_kind) as source_kind, min(source_topic) as source_topic,
  min(consumer_group) as consumer_group, extract(epoch from now() - min(retry_after))::float8 as lag_seconds
from first
group by lane;
