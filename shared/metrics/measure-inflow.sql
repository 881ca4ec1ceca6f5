-- The event type whose captures within the last hour exceed its usual rate most, of the 100 types with most
-- captures. The usual rate is the mean of the seven days before, at least 100 events per hour: a rare type is
-- no flood. 0 without captures.
with recent as materialized (
  select event_type, sum(captures * share) as last_hour
  from dlq_counts_exact
  cross join lateral (
    select least(1, greatest(0, 1 - extract(epoch from now() - interval '1 hour' - hour) / 3600)) as share
  ) as of_last_hour
  where captures <> 0 and hour > now() - interval '2 hours'
  group by event_type
  order by last_hour desc limit 100
),
week as (
  select event_type, sum(captures) as captures
  from dlq_counts_exact
  where event_type = any (array(select event_type from recent))
    and hour >= date_trunc('hour', now(), 'UTC') - interval '169 h'
  group by event_type
)
select
  event_type, coalesce(last_hour / greatest((captures - last_hour) / 168, 100), 0)::float8 as inflow_ratio
from (values (1)) as always
left join (recent join week using (event_type)) on last_hour > 0
order by inflow_ratio desc limit 1;
