-- Up to :max events of each lane that a tick would close by the rules of their route, or that would wait
-- behind a permanent failure of their key.
select
  wanted.lane::text, count(*) filter (where why_not in ('expired', 'permanent'))::int as closed,
  count(*) filter (where is_behind)::int as blocked
from records(:lanes) as wanted (lane bigint, rules text, is_ordered boolean)
cross join lateral (
  select dlq_why_not_now(event, wanted.rules::json) as why_not, wanted.is_ordered and exists (
      select from dlq_events as head
      where head.id = dlq_blocked_by(event.order_key,
        coalesce(event.consumer_group, event.source_subscription), event.id)
        and not head.is_open
    ) as is_behind
  from dlq_events as event
  where is_open and event.lane = wanted.lane
  limit :max::int
) as looked_at
group by wanted.lane;
