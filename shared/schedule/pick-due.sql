-- `why_not` says why an event cannot go now. A key is asked once for its first event. status <> 'PROCESSING':
-- the planner takes status = 'PENDING' for as rare as open events among closed ones, and would sort all.
with due as (
  select nth, event.*
  from records(:groups) as wanted (
    lane bigint, priority smallint, retry_after timestamptz, id bigint, is_ordered boolean, rules text
  )
  cross join lateral (
    select event.id, retry_after, dlq_why_not_now(event, wanted.rules::json) as why_not,
      case when is_ordered then order_key end as key,
      coalesce(consumer_group, source_subscription, '') as consumer
    from dlq_events as event
    where is_open and lane = wanted.lane and priority = wanted.priority
      and (retry_after, event.id) > (wanted.retry_after, wanted.id)
      and retry_after <= :dueAt and status <> 'PROCESSING'
    order by event.retry_after, event.id
    limit :max::int
  ) as event
)
select nth::int - 1 as place, due.id, due.retry_after::text,
  coalesce(why_not, case when head.id <> due.id then 'blocked' end) as why_not
from due
left join (
  select key, consumer, dlq_blocked_by(key, consumer, null) as id from due group by key, consumer
) as head using (key, consumer)
order by nth, due.retry_after, due.id;
