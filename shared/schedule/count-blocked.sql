-- Counts the due events of ordered :lanes that a tick does not reach: the first event of their key has failed permanently, is being
-- delivered or is not due. Looks at up to :max due events of each lane.
select wanted.lane, counted.blocked, counted.is_exact
from unnest(:lanes::bigint[]) as wanted (lane)
cross join lateral (
  select (count(*) filter (where is_behind))::int as blocked, count(*) < :max::int as is_exact
  from (
    select (
      select first.status <> 'PENDING' or first.retry_after > now() from dlq_events as first where first.id = dlq_blocked_by(event)
    ) as is_behind
    from dlq_events as event
    where is_open and lane = wanted.lane and retry_after <= now() and status <> 'PROCESSING' and order_key is not null
    limit :max
  ) as due
) as counted;
