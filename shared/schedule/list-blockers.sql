-- The events that most others of their key wait for. Looks at the :max open events of each lane whose time
-- comes first: each asks for the first one of its key, if that has others. One that is on its way, or due
-- and not of one of the :stopped lanes, goes by itself, and the others after it. What stops both of them is a
-- problem of its own.
select blocked_by::text as id
from unnest(:lanes::bigint[]) as wanted (lane)
cross join lateral (
  select wanted.lane,
    dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), id) as blocked_by
  from (
    select id, order_key, consumer_group, source_subscription
    from dlq_events
    where is_open and dlq_events.lane = wanted.lane
    order by priority, retry_after
    limit :max::int
  ) as first
  where exists (select from dlq_events as other
    where other.is_blocking and other.order_key = first.order_key and other.id <> first.id)
  offset 0
) as waiting
join dlq_events as head on head.id = blocked_by
where head.status = 'FAILED_PERMANENTLY' or head.status = 'PENDING' and (head.retry_after > now()
  or head.lane = any (:stopped::bigint[]) and waiting.lane <> all (:stopped::bigint[]))
group by blocked_by
order by count(*) desc, blocked_by
limit :limit::int;
