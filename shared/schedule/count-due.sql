-- What a tick that begins now would do with the events of each lane, by the conditions of pick-due.sql. An
-- ordered event is behind the stop of its key: the first one in the order of dlq_blocked_by that does not go,
-- as it is not due, refused, undecided, or in a lane that is stopped. Reads :max events of each of :pairs,
-- from the index alone but for lanes with an order or rules and types in delivery; and 10,000 of their keys.
with pairs as materialized (
  select *, is_ordered or rules is not null or event_type in (
    select event_type from dlq_counts_totals where hour is null group by event_type having sum(processing) > 0
  ) as is_read
  from records(:pairs) as pair (lane bigint, priority smallint, event_type text, is_ordered boolean,
    rules json, is_stopped boolean)
),
near as materialized (
  select pairs.lane, is_stopped, event.*, own.*
  from pairs cross join lateral (
    select id, retry_after from dlq_events as event
    where is_open and event.lane = pairs.lane and event.priority = pairs.priority
      and retry_after <= now() + interval '1 hour'
    order by retry_after limit :max::int
  ) as event
  left join lateral (
    select dlq_why_not_now(own, rules) as why_not, case when is_ordered then order_key end as key,
      coalesce(consumer_group, source_subscription, '') as consumer
    from dlq_events as own where is_read and own.id = event.id offset 0
  ) as own on true
),
keys as materialized (select distinct key, consumer from near where key is not null),
queued as materialized (
  -- By offset in a partition; of several, the next captured first. The key joins all at once, not key by key.
  select key, consumer, event.id, is_stopped, dlq_why_not_now(event::dlq_events, rules) is null as goes,
    array[max(coalesce(edited_from, event.id)) over (
      partition by key, coalesce(consumer_group, source_subscription, ''), source_partition
      order by nth_there, event.id
    ), nth_there, event.id] as place
  from keys cross join lateral (
    select * from dlq_events where is_blocking and order_key = key
      and (consumer = '' or coalesce(consumer_group, source_subscription, '') in ('', consumer))
    order by order_key, coalesce(consumer_group, source_subscription, '')
    limit (select greatest(10, 10000 / count(*)) from keys)
  ) as event
  cross join coalesce(case when source_partition is not null then source_offset end, edited_from, event.id)
    as nth_there
  left join pairs on (pairs.lane, pairs.priority) = (event.lane, event.priority) and key is not null
),
stops as (
  select distinct on (key, consumer) key, consumer, id::text as stop, is_stopped, place from queued
  where not goes or is_stopped order by key, consumer, place
),
placed as (
  select near.lane, near.retry_after, case
      when why_not in ('expired', 'permanent') then 'refused'
      when why_not = 'leased' or is_behind and near.retry_after > now() then null
      when is_behind then 'behind' when near.retry_after > now() then 'soon' else 'due'
    end as turn, case when (near.is_stopped and stops.is_stopped) is not true then stop end as stop
  from near left join stops using (key, consumer)
  left join queued using (key, consumer, id)
  cross join coalesce(queued.place > stops.place, stop is not null) as is_behind
)
select lane, turn, count(*)::float8 as events, min(retry_after) as first_at,
  array_remove(array_agg(stop), null) as stops, sum(count(*)) over (partition by lane) < :max::int as is_exact
from placed group by lane, turn;
