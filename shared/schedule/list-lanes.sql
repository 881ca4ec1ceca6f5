-- Lists every lane with open events, and the fields that routes match; one index lookup per lane.
with recursive lanes as (
  (
    select lane from dlq_events where is_open order by lane limit 1
  )
  union all
  select following.lane
  from lanes
  cross join lateral (
    select lane from dlq_events where is_open and lane > lanes.lane order by lane limit 1
  ) as following
)
select
  lanes.lane, example.event_type, example.source_kind, example.source_topic, example.consumer_group, example.has_key
from lanes
cross join lateral (
  select event_type, source_kind, source_topic, consumer_group, source_key is not null as has_key
  from dlq_events
  where is_open and lane = lanes.lane
  limit 1
) as example;
