-- Lists up to :maxLanes lanes with open events, the fields that routes match, and its number of events,
-- counted up to :max. One index lookup per lane.
with recursive lanes as (
  (
    select lane, 1 as nth from dlq_events where is_open order by lane limit 1
  )
  union all
  select following.lane, nth + 1
  from lanes
  cross join lateral (
    select lane from dlq_events where is_open and lane > lanes.lane order by lane limit 1
  ) as following
  where nth < :maxLanes::int
)
select
  lanes.lane, example.event_type, example.source_kind, example.source_topic, example.consumer_group,
  example.has_key, example.cause::text,
  counted.events
from lanes
cross join lateral (
  select event_type, source_kind, source_topic, consumer_group, source_key is not null as has_key, cause
  from dlq_events
  where is_open and lane = lanes.lane
  limit 1
) as example
cross join lateral (
  select count(*)::int as events
  from (select from dlq_events where is_open and lane = lanes.lane limit :max::int) as some_of_it
) as counted;
