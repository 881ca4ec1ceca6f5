-- A target or cause that has never failed gets no breaker. Fails if one stays locked.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
reports as materialized (
  select report.* from timeout cross join records(:reports) as report (
    target text, cause bigint, passed int, answered int, failed int, failed_in_row int, fails_all boolean,
    claimed_at float8, answer text, failure_ratio float8, consecutive_failures int, minimum_deliveries int,
    cooldown_seconds float8, max_cooldown_seconds float8)
),
known as materialized (
  select * from dlq_breakers where (target, cause) in (select target, cause from reports)
  order by target, cause for update -- Two settlements must lock breakers in the same order.
),
counted as (
  -- Recent counts are halved whenever they reach 100. Where everything failed, any answer is a failure.
  select reports.*, known.opened_at, known.probe_after, coalesce(reports.answer, known.answer) as says,
    coalesce(known.state, 'CLOSED') as was,
    (to_timestamp(claimed_at) > known.opened_at or known.opened_at > now())
      and passed + answered * (known.probes = 1)::int > 0 as is_back,
    failed_in_row + answered * (known.probes > 1 and passed = 0)::int > 0 as is_failing,
    fails_all and (reports.cause = 0 or known.target is null) as opens, failed_in_row
      + case when passed + answered = 0 and (known.state <> 'CLOSED' or known.consecutive_failures
        < reports.consecutive_failures) then known.consecutive_failures else 0 end as in_row,
    reports.failed + coalesce(known.failures / (1 + (known.deliveries >= 100)::int), 0) as failures,
    passed + answered + failed + coalesce(known.deliveries / (1 + (known.deliveries >= 100)::int), 0) as sent,
    case when fails_all and reports.cause = 0 then 3 else coalesce(known.probes, 1) end as probes,
    coalesce(known.cooldown_seconds, reports.cooldown_seconds) as last_cooldown
  from reports left join known using (target, cause)
  where failed > 0 or fails_all or known.failures > 0 or known.state <> 'CLOSED'
),
judged as (
  select *, case
    -- One that was leased after the breaker had opened got through: a probe, or one of a replay.
    when was <> 'CLOSED' and is_back then 'CLOSED'
    when was = 'HALF_OPEN' and not (is_failing or opens) then 'HALF_OPEN'
    when was <> 'CLOSED' or opens or in_row >= consecutive_failures then 'OPEN'
    when sent >= minimum_deliveries and failures >= failure_ratio * sent then 'OPEN' else 'CLOSED'
  end as state from counted
)
insert into dlq_breakers as breaker (target, cause, state, answer, consecutive_failures, deliveries, failures,
  opened_at, cooldown_seconds, probes, probe_after, changes)
select target, cause, state, says, in_row, sent * is_kept, failures * is_kept,
  case when state <> 'CLOSED' then coalesce(opened_at, now()) end,
  case when state <> 'CLOSED' then cooldown end, case when state = 'CLOSED' then 1 else probes end,
  case when state = was then probe_after
    when state = 'OPEN' then now() + make_interval(secs => cooldown * (cause <> 0 or not opens)::int) end,
  case when (state = 'CLOSED') <> (was = 'CLOSED') then array[now()] else '{}' end
from judged
cross join lateral ( -- A failed probe doubles the cooldown. A breaker that closes starts counting again.
  select (was = 'CLOSED' or state <> 'CLOSED')::int as is_kept, least(max_cooldown_seconds,
    last_cooldown * (1 + (was = 'HALF_OPEN' and state = 'OPEN')::int)) as cooldown
) as final
order by target, cause on conflict (target, cause) do update
set (state, answer, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probes,
  probe_after, changes, updated_at) = row(excluded.state, excluded.answer, excluded.consecutive_failures,
  excluded.deliveries, excluded.failures, excluded.opened_at, excluded.cooldown_seconds, excluded.probes,
  excluded.probe_after, (excluded.changes || breaker.changes)[:100], now()),
  -- A target or cause that is back is served slowly at first.
  (pace, paused_until) = (select case when is_back then 1 else breaker.pace end,
    case when is_back then {pauseLeft} else breaker.paused_until end
    from (select excluded.state = 'CLOSED' and breaker.state <> 'CLOSED' as is_back) as change);
