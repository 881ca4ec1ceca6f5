-- One index lookup for each lane and priority.
with recursive pairs as (
  (
    select lane, priority, event_type, source_kind, source_topic, consumer_group,
      source_key is not null as has_key, cause, 1 as nth
    from dlq_events
    where is_open
    order by lane, priority
    limit 1
  )
  union all
  select following.*, nth + (following.lane <> pairs.lane)::int
  from pairs
  cross join lateral (
    select lane, priority, event_type, source_kind, source_topic, consumer_group,
      source_key is not null, cause
    from dlq_events
    where is_open and (lane, priority) > (pairs.lane, pairs.priority)
    order by lane, priority
    limit 1
  ) as following
  where nth < :maxLanes::int
)
select
  lane, event_type, source_kind, source_topic, consumer_group, has_key, cause::text,
  array_agg(priority) as priorities
from pairs
group by lane, event_type, source_kind, source_topic, consumer_group, has_key, cause
order by lane;
