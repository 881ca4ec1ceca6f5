-- One index lookup per delivery: without statistics, the planner would read and sort all deliveries to a
-- target, unless the condition is the order of the index.
with recursive latest as (
  select
    target, 9223372036854775807 as id, null::text as outcome, null::int as duration_ms,
    null::timestamptz as started_at, 0 as steps
  from unnest(:targets::text[]) as named (target)
  union all
  select latest.target, earlier.id, earlier.outcome, earlier.duration_ms, earlier.started_at, steps + 1
  from latest
  cross join lateral (
    select target, id, outcome, duration_ms, started_at
    from dlq_attempts
    where (hashtextextended(dlq_attempts.target, 0), dlq_attempts.id)
      < (hashtextextended(latest.target, 0), latest.id)
    order by hashtextextended(dlq_attempts.target, 0) desc, id desc
    limit 1
  ) as earlier
  where steps < :max::int and earlier.target = latest.target
)
select
  target, max(started_at) as last_at, (count(*) filter (where outcome = 'delivered'))::int as delivered,
  count(outcome)::int as deliveries,
  round(percentile_cont(0.5) within group (order by duration_ms)::numeric, 1)::float8 as median_ms,
  round(percentile_cont(0.95) within group (order by duration_ms)::numeric, 1)::float8 as p95_ms
from latest
group by target;
