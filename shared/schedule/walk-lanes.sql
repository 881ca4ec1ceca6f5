-- Returns the pairs of lane and priority with an event that was due at :dueAt, and the last pair. A few index
-- lookups for each pair, however many events it has.
with recursive walk as (
  select :lane::bigint as lane, :priority::smallint as priority, 0 as nth
  union all
  select following.lane, following.priority, nth + 1
  from walk
  cross join lateral (
    select lane, priority from dlq_events
    where is_open and (lane, priority) > (walk.lane, walk.priority)
    order by lane, priority
    limit 1
  ) as following
  where nth < :max::int
)
select
  walk.lane::text, walk.priority, event_type is not null as is_due, event_type, source_kind, source_topic,
  consumer_group, cause::text, nth
from walk
left join lateral (
  select event_type, source_kind, source_topic, consumer_group, cause
  from dlq_events
  where is_open and lane = walk.lane and priority = walk.priority
    and retry_after <= :dueAt and status <> 'PROCESSING'
  order by retry_after, id
  limit 1
) as due on nth > 0
where event_type is not null or nth = (select max(nth) from walk)
order by nth;
