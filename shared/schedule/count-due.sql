-- By the conditions of pick-due.sql. An ordered event is behind its key if an earlier one does not go: it is
-- not due, refused, undecided, or in a lane that is stopped. blocked_by has the first of these, once for each
-- event behind it, unless both are stopped. Reads :max events of each of :pairs, from the index alone but for
-- lanes with an order or rules and types in delivery; and 10,000 of all their keys, at least ten of each.
with pairs as materialized (
  select *, is_ordered or rules is not null or event_type in (
    select event_type from dlq_counts_totals
    where hour is null and event_type is not null group by event_type having sum(processing) > 0
  ) as is_read
  from records(:pairs) as pair (lane bigint, priority smallint, event_type text, is_ordered boolean,
    rules json, is_stopped boolean)
),
near as materialized (
  select pairs.lane, is_stopped, event.retry_after, own.*
  from pairs cross join lateral (
    select id, retry_after from dlq_events as event
    where is_open and event.lane = pairs.lane and event.priority = pairs.priority
      and retry_after <= now() + make_interval(secs => :soonSeconds)
    order by retry_after limit :max::int
  ) as event
  left join lateral (
    select dlq_why_not_now(own, rules) as why_not, coalesce(edited_from, own.id) as place,
      case when is_ordered then order_key end as key,
      coalesce(consumer_group, source_subscription, '') as consumer
    from dlq_events as own where is_read and own.id = event.id offset 0
  ) as own on true
),
keys as materialized (select distinct key, consumer from near where key is not null),
stops as (
  select distinct on (key, consumer) key, consumer, event.id::text, is_stopped,
    status = 'PROCESSING' as is_leased, coalesce(edited_from, event.id) as place
  from keys cross join lateral ( -- As the offset above, the limit keeps it a question for each row.
    select * from dlq_events where is_blocking and order_key = key
      and (consumer = '' or coalesce(consumer_group, source_subscription, '') in ('', consumer))
    order by order_key, coalesce(consumer_group, source_subscription, '')
    limit (select greatest(10, 10000 / count(*)) from keys)
  ) as event
  left join pairs using (lane, priority)
  where dlq_why_not_now(event::dlq_events, rules) is not null or is_stopped
  order by key, consumer, place
),
placed as (
  select near.lane, near.retry_after, case
      when why_not in ('expired', 'permanent') then 'refused'
      when why_not = 'leased' or near.retry_after > now() and stops.place < near.place then null
      when stops.place < near.place then 'behind'
      when near.retry_after > now() then 'soon'
      else 'due'
    end as turn,
    case when (is_leased or near.is_stopped and stops.is_stopped) is not true then stops.id end as stop_id
  from near left join stops using (key, consumer)
)
select lane, count(*) filter (where turn = 'due')::float8 as due,
  count(*) filter (where turn = 'refused')::float8 as refused,
  count(*) filter (where turn = 'behind')::float8 as behind_key,
  array_remove(array_agg(case when turn = 'behind' then stop_id end), null) as blocked_by,
  min(retry_after) filter (where turn = 'due') as due_since,
  count(*) filter (where turn = 'soon')::float8 as soon,
  min(retry_after) filter (where turn = 'soon') as earliest, count(*) < :max::int as is_exact
from placed group by lane;
