-- Picks events that were due at :dueAt: the next :max of each lane and priority, after the place where the
-- last call ended. `why_not` says why one of them cannot go now.
--
-- status <> 'PROCESSING': the planner takes status = 'PENDING' for as rare as open events among closed ones,
-- and would sort all.
select nth::int - 1 as place, due.*
from records(:groups) as wanted (
  lane bigint, priority smallint, retry_after timestamptz, id bigint, is_ordered boolean, rules text
)
cross join lateral (
  select
    event.id, retry_after::text,
    coalesce(
      dlq_why_not_now(event, wanted.rules::json),
      case when is_ordered
        and dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), event.id) is not null
        then 'blocked' end
    ) as why_not
  from dlq_events as event
  where is_open and lane = wanted.lane and priority = wanted.priority
    and (retry_after, event.id) > (wanted.retry_after, wanted.id)
    and retry_after <= :dueAt and status <> 'PROCESSING'
  order by event.retry_after, event.id
  limit :max::int
) as due;
