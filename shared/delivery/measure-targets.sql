-- The latest 200 deliveries to each of :targets. The condition is the order of the index: else the planner
-- would sort all deliveries to a target without statistics.
select
  latest.target, max(started_at) as last_at,
  json_build_object(
    'deliveries', count(*), 'delivered', count(*) filter (where outcome = 'delivered'),
    'medianMs', round(percentile_cont(0.5) within group (order by duration_ms)::numeric, 1),
    'p95Ms', round(percentile_cont(0.95) within group (order by duration_ms)::numeric, 1)
  ) as latest
from unnest(:targets::text[]) as named (target)
cross join lateral (
  select target, outcome, duration_ms, started_at
  from dlq_attempts
  where hashtextextended(target, 0) >= hashtextextended(named.target, 0)
    and (hashtextextended(target, 0), id) <= (hashtextextended(named.target, 0), 9223372036854775807)
  order by hashtextextended(target, 0) desc, id desc
  limit 200
) as latest
where latest.target = named.target
group by latest.target;
