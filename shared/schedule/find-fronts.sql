-- Finds the first event that was due at :dueAt in each priority of some lanes, where their claims begin. This walks over the
-- index entries of events before it: those that are leased, and those that are closed but not vacuumed yet, of which one old
-- transaction keeps all. A claim that continues where the one before ended walks over none of them.
with recursive priorities as (
  select wanted.lane, first.*
  from unnest(:lanes::bigint[]) as wanted (lane)
  cross join lateral (
    select priority, retry_after, id from dlq_events
    where is_open and lane = wanted.lane
    order by priority, retry_after, id limit 1
  ) as first
  union all
  select priorities.lane, following.*
  from priorities
  cross join lateral (
    select priority, retry_after, id from dlq_events
    where is_open and lane = priorities.lane and priority > priorities.priority
    order by priority, retry_after, id limit 1
  ) as following
)
select lane::text, priority, due.retry_after::text, due.id::text
from priorities
cross join lateral (
  select retry_after, id from dlq_events
  where is_open and lane = priorities.lane and priority = priorities.priority
    and (retry_after, id) >= (priorities.retry_after, priorities.id) and retry_after <= :dueAt
    and (status <> 'PROCESSING' or lease_expires_at <= now())
  order by retry_after, id
  limit 1
) as due;
