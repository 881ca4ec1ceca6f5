-- Counts the events of :lanes whose time has come, and those whose time comes within :soonSeconds, by the conditions of a claim
-- (claim-events.sql). In an ordered lane an event is behind its key if an earlier one of the key is not due: it is being delivered,
-- has failed permanently, or its time has not come. Reads up to :max events of each lane and priority.
with recursive wanted as materialized (
  select * from records(:lanes) as wanted (lane bigint, is_ordered boolean)
),
pairs as (
  select wanted.lane, first.priority
  from wanted
  cross join lateral (
    select priority from dlq_events where is_open and dlq_events.lane = wanted.lane order by priority limit 1
  ) as first
  where not is_ordered
  union all
  select pairs.lane, following.priority
  from pairs
  cross join lateral (
    select priority from dlq_events
    where is_open and dlq_events.lane = pairs.lane and priority > pairs.priority
    order by priority limit 1
  ) as following
),
events as (
  select pairs.lane, event.retry_after, true as is_free, false as is_behind
  from pairs
  cross join lateral (
    select retry_after from dlq_events
    where is_open and dlq_events.lane = pairs.lane and priority = pairs.priority
      and retry_after <= now() + make_interval(secs => :soonSeconds)
      and (status <> 'PROCESSING' or lease_expires_at <= now())
    order by retry_after limit :max::int
  ) as event
  union all
  select
    wanted.lane, event.retry_after, is_free,
    coalesce(bool_or(not is_free or retry_after > now()) over (
      partition by wanted.lane, source_key order by sequence, id rows between unbounded preceding and 1 preceding
    ), false)
  from wanted
  cross join lateral (
    select source_key, sequence, id, retry_after, is_open and (status <> 'PROCESSING' or lease_expires_at <= now()) as is_free
    from dlq_events
    where is_blocking and source_key is not null and dlq_events.lane = wanted.lane
    order by source_key, sequence, id limit :max::int
  ) as event
  where is_ordered
)
select
  lane, count(*) filter (where is_due and not is_behind)::float8 as due, count(*) filter (where is_due and is_behind)::float8 as behind_key,
  min(retry_after) filter (where is_due and not is_behind) as due_since,
  count(*) filter (where is_soon and not is_behind)::float8 as soon, min(retry_after) filter (where is_soon and not is_behind) as earliest,
  count(*) < :max::int as is_exact
from events
cross join lateral (
  select is_free and retry_after <= now() as is_due,
    is_free and retry_after > now() and retry_after <= now() + make_interval(secs => :soonSeconds) as is_soon
) as judged
group by lane;
