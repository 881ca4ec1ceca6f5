-- The last delivery to each of :targets, and outcomes and durations of its latest :max deliveries. One index range per target.
select
  named.target, max(started_at) as last_at, (count(*) filter (where outcome = 'delivered'))::int as delivered,
  count(outcome)::int as deliveries, percentile_cont(0.5) within group (order by duration_ms) as median_ms,
  percentile_cont(0.95) within group (order by duration_ms) as p95_ms
from unnest(:targets::text[]) as named (target)
left join lateral (
  select outcome, duration_ms, started_at
  from dlq_attempts
  where dlq_attempts.target = named.target and outcome <> 'lost'
  order by id desc
  limit :max::int
) as latest on true
group by named.target;
