-- Counts the events of :lanes whose time has come, and those whose time comes within :soonSeconds, by the
-- conditions of a pick (pick-due.sql). In an ordered lane an event is behind its key if the first event of
-- the key is not due: it is being delivered, has failed permanently, or its time has not come. Reads up to
-- :max events of each lane and priority.
with recursive wanted as materialized (
  select * from records(:lanes) as wanted (lane bigint, is_ordered boolean)
),
pairs as (
  select wanted.lane, is_ordered, first.priority
  from wanted
  cross join lateral (
    select priority from dlq_events where is_open and dlq_events.lane = wanted.lane order by priority limit 1
  ) as first
  union all
  select pairs.lane, is_ordered, following.priority
  from pairs
  cross join lateral (
    select priority from dlq_events
    where is_open and dlq_events.lane = pairs.lane and priority > pairs.priority
    order by priority limit 1
  ) as following
),
events as (
  select pairs.lane, event.*
  from pairs
  cross join lateral (
    select event.retry_after, event.retry_after <= now() as is_due, coalesce((
      select head.status <> 'PENDING' or head.retry_after > now()
      from dlq_events as head
      where is_ordered
        and head.id = dlq_blocked_by(event.order_key,
          coalesce(event.consumer_group, event.source_subscription), event.id)
    ), false) as is_behind
    from dlq_events as event
    where is_open and event.lane = pairs.lane and event.priority = pairs.priority
      and event.retry_after <= now() + make_interval(secs => :soonSeconds) and event.status <> 'PROCESSING'
    order by event.retry_after limit :max::int
  ) as event
)
select
  lane, count(*) filter (where is_due and not is_behind)::float8 as due,
  count(*) filter (where is_due and is_behind)::float8 as behind_key,
  min(retry_after) filter (where is_due and not is_behind) as due_since,
  count(*) filter (where not is_due and not is_behind)::float8 as soon,
  min(retry_after) filter (where not is_due and not is_behind) as earliest,
  count(*) < :max::int as is_exact
from events
group by lane;
