-- Adds deliveries to the statistics of targets, and decides the state of their breakers. Returns the targets
-- that have one: all others have not failed. Fails if a breaker stays locked for half a second.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
reports as materialized (
  select report.*
  from timeout
  cross join json_to_recordset(:reports) as report (
    target text, answered int, failed int, failed_in_row int, claimed_at float8, ramp int[],
    failure_ratio float8, consecutive_failures int, minimum_deliveries int, cooldown_seconds float8,
    max_cooldown_seconds float8
  )
),
known as materialized (
  -- Sorted by target: two settlements must lock breakers in the same order.
  select * from dlq_breakers where target in (select target from reports) order by target for update
),
counted as (
  -- Recent counts are halved whenever they reach 100. After a failed probe the cooldown is twice as long.
  select reports.*, known.opened_at, known.probe_after, known.ramp_step_at, known.ramp as old_ramp,
    coalesce(known.state, 'CLOSED') as was, to_timestamp(claimed_at) > known.opened_at as is_back,
    failed_in_row + case when answered > 0 then 0 else coalesce(known.consecutive_failures, 0) end as in_row,
    answered + failed + coalesce(known.deliveries / (1 + (known.deliveries >= 100)::int), 0) as deliveries,
    failed + coalesce(known.failures / (1 + (known.deliveries >= 100)::int), 0) as failures,
    least(max_cooldown_seconds, coalesce(known.cooldown_seconds, reports.cooldown_seconds)
      * case when known.state = 'HALF_OPEN' and failed_in_row > 0 then 2 else 1 end) as cooldown
  from reports
  left join known using (target)
  -- A target that never failed has no row, and its deliveries write none.
  where failed > 0 or known.failures > 0 or known.state <> 'CLOSED'
),
judged as (
  select *, case
    -- The target answered an event that was leased after the breaker had opened: of a probe, or of a replay.
    when was <> 'CLOSED' and failed_in_row = 0 and is_back then 'CLOSED'
    when was = 'HALF_OPEN' and failed_in_row = 0 then 'HALF_OPEN'
    when was <> 'CLOSED' or in_row >= consecutive_failures then 'OPEN'
    when deliveries >= minimum_deliveries and failures >= failure_ratio * deliveries then 'OPEN'
    else 'CLOSED'
  end as state
  from counted
)
insert into dlq_breakers as breaker (target, state, consecutive_failures, deliveries, failures, opened_at,
  cooldown_seconds, probe_after, ramp, ramp_step_at)
select target, state, in_row,
  -- A breaker that closes starts counting again: the target has recovered.
  case when was <> 'CLOSED' and state = 'CLOSED' then 0 else deliveries end,
  case when was <> 'CLOSED' and state = 'CLOSED' then 0 else failures end,
  case when state <> 'CLOSED' then coalesce(opened_at, now()) end,
  case when state <> 'CLOSED' then cooldown end,
  case when state = was then probe_after when state = 'OPEN' then now() + make_interval(secs => cooldown) end,
  case when state = was then old_ramp when state = 'CLOSED' then nullif(ramp, '{}') end,
  case when state = was then ramp_step_at when state = 'CLOSED' and ramp <> '{}' then now() end
from judged
order by target
on conflict (target) do update
set (state, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probe_after, ramp,
  ramp_step_at, updated_at) = row(excluded.state, excluded.consecutive_failures, excluded.deliveries,
  excluded.failures, excluded.opened_at, excluded.cooldown_seconds, excluded.probe_after, excluded.ramp,
  excluded.ramp_step_at, now())
returning target;
