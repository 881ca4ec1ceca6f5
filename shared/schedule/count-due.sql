-- By the conditions of pick-due.sql. An ordered event is behind its key if the first event of the key, or one
-- of these before it, does not go: it is not due, is refused, or in a lane that is stopped. blocked_by has
-- the first event of the key, once for each event that it keeps back, unless both are stopped. Reads up to
-- :max events of each of :pairs: from the index alone, but for lanes with an order or rules and the types of
-- events that are being delivered.
with leased as materialized (
  select event_type from dlq_counts_totals
  where hour is null and event_type is not null group by event_type having sum(processing) > 0
),
near as materialized (
  select
    lane, event.id, retry_after, retry_after <= now() as is_due, is_stopped, rules is not null and exists (
      select from dlq_events as own
      where own.id = event.id and dlq_why_not_now(own, rules::json) in ('expired', 'permanent')
    ) as is_refused,
    case when is_ordered then (
      select array[order_key::text, coalesce(consumer_group, source_subscription, '')]
      from dlq_events as own where own.id = event.id and order_key is not null
    ) end as key
  from records(:pairs) as pair (
    lane bigint, priority smallint, event_type text, is_ordered boolean, rules text, is_stopped boolean
  )
  cross join lateral (select pair.event_type in (select event_type from leased) as is_leased) as type
  cross join lateral (
    select event.id, event.retry_after
    from dlq_events as event
    where is_open and event.lane = pair.lane and event.priority = pair.priority
      and event.retry_after <= now() + make_interval(secs => :soonSeconds)
      and not (is_leased and exists (
        select from dlq_events as own where own.id = event.id and own.status = 'PROCESSING'))
    order by event.retry_after limit :max::int
  ) as event
),
heads as materialized (
  select key, head.id as head_id, is_stopped as is_head_stopped, status = 'PROCESSING' as is_head_leased,
    status <> 'PENDING' or retry_after > now() or coalesce(is_stopped or is_refused, false) as is_waiting
  from (select distinct key from near where key is not null) as keys
  cross join lateral (
    select * from dlq_events where id = (select dlq_blocked_by(key[1]::bigint, key[2], null)) limit 1
  ) as head
  left join (select id, is_stopped, is_refused from near) as own using (id)
),
placed as (
  select *, is_due and not is_refused as is_ready, key is not null and (
    is_waiting and head_id <> id or bool_or(not is_due or is_refused or is_stopped) over (
      partition by key order by id rows between unbounded preceding and 1 preceding)) is true as is_behind
  from near left join heads using (key)
)
select
  lane, count(*) filter (where is_ready and not is_behind)::float8 as due,
  count(*) filter (where is_due and is_refused)::float8 as refused,
  count(*) filter (where is_ready and is_behind)::float8 as behind_key,
  coalesce(array_agg(head_id::text) filter (where is_ready and is_waiting and head_id <> id
    and not is_head_leased and (is_stopped and is_head_stopped) is not true), '{}') as blocked_by,
  min(retry_after) filter (where is_ready and not is_behind) as due_since,
  count(*) filter (where not is_due and not is_behind)::float8 as soon,
  min(retry_after) filter (where not is_due and not is_behind) as earliest,
  count(*) < :max::int as is_exact
from placed
group by lane;
