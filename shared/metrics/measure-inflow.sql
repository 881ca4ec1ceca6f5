-- The event type whose captures within the last hour exceed its usual rate most. The usual rate is the mean
-- of the seven days before, at least 100 events per hour: a rare type is no flood. 0 without captures.
select event_type, coalesce(ratio, 0)::float8 as inflow_ratio
from (values (1)) as always
left join (
  select event_type, last_hour / greatest(before / 168, 100) as ratio
  from (
    select event_type, sum(captures * share) as last_hour, sum(captures * (1 - share)) as before
    from dlq_counts_hourly_exact
    cross join lateral (
      select least(1, greatest(0, 1 - extract(epoch from now() - interval '1 hour' - hour) / 3600)) as share
    ) as of_last_hour
    where captures <> 0 and hour > now() - interval '170 hours'
    group by event_type
  ) as types
  where last_hour > 0
  order by ratio desc
  limit 1
) as highest on true;
