-- Walks over the pairs of lane and priority with open events, after one, and over up to :max lanes: a few
-- index lookups for each pair, however many events it has. Returns those with an event that was due at
-- :dueAt, and the last ones; without a time all. The events of a lane have all of these columns in common.
with recursive walk as (
  select :lane::bigint as lane, :priority::smallint as priority, null::text as event_type,
    null::text as source_kind, null::text as source_topic, null::text as consumer_group, false as has_key,
    null::bigint as cause, 0 as nth
  union all
  select following.*, nth + (following.lane <> walk.lane)::int
  from walk
  cross join lateral (
    select lane, priority, event_type, source_kind, source_topic, consumer_group, source_key is not null,
      cause
    from dlq_events
    where is_open and (lane, priority) > (walk.lane, walk.priority)
    order by lane, priority
    limit 1
  ) as following
  where nth < :max::int
)
select
  walk.lane::text, walk.priority, due.id is not null as is_due, event_type, source_kind, source_topic,
  consumer_group, has_key, cause::text, nth
from walk
left join lateral (
  select id
  from dlq_events
  where is_open and lane = walk.lane and priority = walk.priority
    and retry_after <= :dueAt and status <> 'PROCESSING'
  order by retry_after, id
  limit 1
) as due on true
where event_type is not null
  and (:dueAt::timestamptz is null or due.id is not null or nth = (select max(nth) from walk))
order by walk.lane, walk.priority;
