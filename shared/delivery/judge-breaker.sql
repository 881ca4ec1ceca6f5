-- Adds what a worker has seen of a target, or of a cause there, to its breaker, and decides whether that is
-- open. A target that never failed gets no breaker. Fails if the breaker stays locked.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
known as materialized (
  select breaker.* from timeout
  join dlq_breakers as breaker on (target, cause) = (:target, :cause::bigint) for update of breaker
),
added as (
  select coalesce(state, 'CLOSED') as was, opened_at, probe_after, known.answer,
    coalesce(cooldown_seconds, :cooldownSeconds::float8) as cooldown,
    -- A target opens if it fails all that were not tried there, a cause with the first event that it befalls.
    :failsAll::boolean and (:cause = 0 or target is null) as opens,
    case when :failsAll and :cause = 0 then 3 else coalesce(probes, 1) end as probes,
    :failedInRow::int + case when :passed::int + :answered::int = 0 and (state <> 'CLOSED'
      or consecutive_failures < :consecutiveFailures::int) then consecutive_failures else 0 end as in_row,
    -- Recent counts are halved whenever they reach 100.
    :passed + :answered + :failed::int + coalesce(deliveries >> (deliveries >= 100)::int, 0) as sent,
    :failed + coalesce(failures >> (deliveries >= 100)::int, 0) as failures,
    -- What was leased after it had opened got through: a probe, or an event of a replay. Where all failed, an
    -- answer about the event is a failure, too.
    :passed + case when probes = 1 then :answered else 0 end > 0
      and (to_timestamp(:claimedAt::float8) > opened_at or opened_at > now()) as is_back,
    :failedInRow > 0 or probes > 1 and :passed = 0 and :answered > 0 as is_failing
  from timeout left join known on true
  where :failed > 0 or :failsAll or failures > 0 or state <> 'CLOSED'
),
judged as (
  select *, case
    when was <> 'CLOSED' and is_back then 'CLOSED'
    when was = 'HALF_OPEN' and not (is_failing or opens) then 'HALF_OPEN'
    when was <> 'CLOSED' or opens or in_row >= :consecutiveFailures then 'OPEN'
    when sent >= :minimumDeliveries::int and failures >= :failureRatio::float8 * sent then 'OPEN'
    else 'CLOSED'
  end as state from added
),
final as (
  -- A failed probe doubles the cooldown. A breaker that closes starts counting again.
  select *, case when was <> 'CLOSED' and state = 'CLOSED' then 0 else 1 end as is_kept,
    least(:maxCooldownSeconds::float8, case when was = 'HALF_OPEN' and state = 'OPEN' then 2 else 1 end
      * cooldown) as seconds
  from judged
)
insert into dlq_breakers as breaker (target, cause, state, answer, consecutive_failures, deliveries, failures,
  opened_at, cooldown_seconds, probes, probe_after, changes)
select :target, :cause, state, coalesce(:answer, answer), in_row, sent * is_kept, failures * is_kept,
  case when state <> 'CLOSED' then coalesce(opened_at, now()) end,
  case when state <> 'CLOSED' then seconds end, case when state = 'CLOSED' then 1 else probes end,
  case when state = was then probe_after when state = 'OPEN' and opens and :cause = 0 then now()
    when state = 'OPEN' then now() + make_interval(secs => seconds) end,
  case when (state = 'CLOSED') <> (was = 'CLOSED') then array[now()] else '{}' end
from final
on conflict (target, cause) do update
set (state, answer, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probes,
  probe_after, changes, updated_at) = row(excluded.state, excluded.answer, excluded.consecutive_failures,
  excluded.deliveries, excluded.failures, excluded.opened_at, excluded.cooldown_seconds, excluded.probes,
  excluded.probe_after, (excluded.changes || breaker.changes)[:100], now()),
  -- A target or cause that is back is served slowly at first.
  (pace, paused_until) = (select case when is_back then 1 else breaker.pace end,
    case when is_back then {pauseLeft} else {pausedUntil} end
    from (select excluded.state = 'CLOSED' and breaker.state <> 'CLOSED' as is_back) as change);
