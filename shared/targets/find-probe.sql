-- Untried events first, as one that failed may fail of itself. Of each lane the first one that the schedule
-- would send at its time. Looks at 10,000 events per lane.
select event.id
from records(:lanes) as wanted (lane bigint, is_ordered boolean, rules text)
cross join lateral (
  select id, cause, retry_after
  from (
    select *
    from dlq_events
    where is_open and dlq_events.lane = wanted.lane and status = 'PENDING' and retry_after < 'infinity'
    order by priority, retry_after
    limit 10000
  ) as pending
  where coalesce(dlq_why_not_now(pending::dlq_events, wanted.rules::json), 'later') = 'later'
    and (not wanted.is_ordered
      or dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), id) is null)
  limit 1
) as event
order by event.cause is not null, event.retry_after
limit 1;
