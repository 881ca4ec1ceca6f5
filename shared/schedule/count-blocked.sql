-- Counts the due events of ordered :lanes that a tick does not reach: an earlier event of their key has failed permanently, is being
-- delivered or is not due. Reads up to :max events of each lane in the order of their keys, from the index of that order.
select wanted.lane, counted.blocked, counted.is_exact
from unnest(:lanes::bigint[]) as wanted (lane)
cross join lateral (
  select (count(*) filter (where is_due and is_behind))::int as blocked, count(*) < :max::int as is_exact
  from (
    select
      is_due,
      bool_or(not is_due) over (
        partition by source_key order by sequence, id rows between unbounded preceding and 1 preceding
      ) as is_behind
    from (
      select
        source_key, sequence, id,
        is_open and retry_after <= now() and (status <> 'PROCESSING' or lease_expires_at <= now()) as is_due
      from dlq_events
      where is_blocking and source_key is not null and dlq_events.lane = wanted.lane
      order by source_key, sequence, id
      limit :max
    ) as first
  ) as judged
) as counted;
