-- Adds deliveries to the statistics of their targets, and decides the state of each breaker from them.
-- `failed_in_row` in :reports counts the failures after the last answer.
--
--   CLOSED     opens after `consecutive_failures` failures in a row, or once `failure_ratio` of at least
--              `minimum_deliveries` recent deliveries failed
--   OPEN       a claim makes it HALF_OPEN after the cooldown, for one probe
--   HALF_OPEN  opens again if a delivery failed, with twice the cooldown, up to `max_cooldown_seconds`
--
-- OPEN and HALF_OPEN close once an event was answered that had been claimed after the breaker opened, by the
-- clock of the database: a probe, or one of a replay, which need not wait for the breaker. From then on the
-- number of deliveries grows as `ramp` says.
--
-- Returns the targets that have a breaker. All others have not failed: their deliveries change nothing. Fails
-- if another session keeps a breaker locked for half a second.
--
-- Longer than 60 lines, because counts and decision are one upsert: two concurrent settlements must not lose
-- a count.
with timeout as materialized (
  select set_config('lock_timeout', '500ms', true)
),
reports as materialized (
  select report.*
  from timeout
  cross join json_to_recordset(:reports) as report (
    target text, answered integer, failed integer, failed_in_row integer, claimed_at double precision, ramp integer[],
    consecutive_failures integer, failure_ratio double precision, minimum_deliveries integer,
    cooldown_seconds double precision, max_cooldown_seconds double precision
  )
),
known as materialized (
  -- Sorted by target: two settlements must lock breakers in the same order.
  select * from dlq_breakers where target in (select target from reports) order by target for update
),
counted as (
  -- Recent counts are halved whenever they reach 100.
  select
    target, failed_in_row, reports.ramp as new_ramp, known.ramp as old_ramp, known.ramp_step_at,
    coalesce(to_timestamp(claimed_at) > known.opened_at, false) as is_back, reports.consecutive_failures as consecutive_limit, failure_ratio, minimum_deliveries,
    reports.cooldown_seconds as cooldown, max_cooldown_seconds,
    coalesce(known.state, 'CLOSED') as old_state, known.opened_at, known.cooldown_seconds, known.probe_after,
    failed_in_row + case when answered > 0 then 0 else coalesce(known.consecutive_failures, 0) end as consecutive_failures,
    answered + failed + coalesce(known.deliveries / (1 + (known.deliveries >= 100)::int), 0) as deliveries,
    failed + coalesce(known.failures / (1 + (known.deliveries >= 100)::int), 0) as failures
  from reports
  left join known using (target)
  -- A target that never failed has no row, and its deliveries write none.
  where failed > 0 or known.failures > 0 or known.state <> 'CLOSED'
),
judged as (
  select
    *,
    case
      when old_state <> 'CLOSED' and failed_in_row = 0 and is_back then 'CLOSED'
      when old_state = 'HALF_OPEN' and failed_in_row = 0 then 'HALF_OPEN'
      when old_state <> 'CLOSED' then 'OPEN'
      when consecutive_failures >= consecutive_limit then 'OPEN'
      when deliveries >= minimum_deliveries and failures >= failure_ratio * deliveries then 'OPEN'
      else 'CLOSED'
    end as state,
    case old_state
      when 'OPEN' then cooldown_seconds
      when 'HALF_OPEN' then case when failed_in_row = 0 then cooldown_seconds else least(2 * cooldown_seconds, max_cooldown_seconds) end
      else cooldown
    end as next_cooldown
  from counted
)
insert into dlq_breakers as breaker (
  target, state, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probe_after, ramp, ramp_step_at
)
select
  target, state, consecutive_failures,
  -- A breaker that closes after a probe starts counting again: the target has recovered.
  case when old_state = 'CLOSED' or state = 'OPEN' then deliveries else 0 end,
  case when old_state = 'CLOSED' or state = 'OPEN' then failures else 0 end,
  case when state <> 'CLOSED' then coalesce(opened_at, now()) end,
  case when state <> 'CLOSED' then next_cooldown end,
  case
    when state <> 'CLOSED' and state = old_state then probe_after
    when state = 'OPEN' then now() + make_interval(secs => next_cooldown)
  end,
  case when state = 'CLOSED' then case old_state when 'CLOSED' then old_ramp else nullif(new_ramp, '{}') end end,
  case when state = 'CLOSED' then case when old_state = 'CLOSED' then ramp_step_at when new_ramp <> '{}' then now() end end
from judged
order by target
on conflict (target) do update
set (
  state, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probe_after, ramp, ramp_step_at, updated_at
) = (
  select
    excluded.state, excluded.consecutive_failures, excluded.deliveries, excluded.failures, excluded.opened_at,
    excluded.cooldown_seconds, excluded.probe_after, excluded.ramp, excluded.ramp_step_at, now()
)
returning target;
