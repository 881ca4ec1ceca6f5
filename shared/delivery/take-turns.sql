-- Takes up to `wanted` deliveries of each breaker; a negative number returns unused ones. Returns those that
-- limit. `wait_seconds`: until there are more; null: no time is set.
with wanted as materialized (
  select * from records(:wanted) as wanted (target text, cause bigint, wanted integer)
),
limiting as materialized (
  select target, cause, coalesce(held_until > now(), false) and :obeysHolds as is_held
  from dlq_breakers as breaker
  join wanted using (target, cause)
  where held_until > now() or state <> 'CLOSED' or {hasPace}
),
-- A breaker that another session has locked gives nothing for a moment.
locked as materialized (
  select breaker.*, wanted, state <> 'CLOSED' and :obeysBreakers as is_open, {isCool} as is_cool,
    :obeysHolds and {isPaused} as is_paused, pace_now,
    -- The tokens of one second, at least one; after a step back of the clock all. Null: without limit.
    case when pace_now > 0 then least(greatest(pace_now, 1),
      tokens + pace_now * abs(extract(epoch from now() - updated_at))) end as level
  from dlq_breakers as breaker
  join wanted using (target, cause)
  cross join lateral (select case when {hasPace} then {paceNow} end as pace_now) as current
  where (breaker.target, breaker.cause) in (select target, cause from limiting where not is_held)
  for no key update of breaker skip locked
),
granted as materialized (
  select *, case
      when wanted < 0 then wanted
      when is_paused or is_open and not is_cool then 0
      -- After its cooldown probes, more than one if it was quiet for long.
      when is_open then least(wanted, {probesAtOnce})
      -- After a pause, an outage or a hold at its pace, which grows (slow start: Jacobson, 1988).
      else least(wanted, floor(level))
    end::integer as granted
  from locked as breaker
),
taken as (
  update dlq_breakers as breaker
  set state = case when not is_open then breaker.state when granted > 0 then 'HALF_OPEN' else 'OPEN' end,
      probe_after = case when not is_open then breaker.probe_after when granted > 0 then now() + {probeWait}
        else now() end,
      tokens = level - granted, updated_at = now(),
      -- The pace grows from the first delivery on.
      paused_until = case when breaker.pace > 0 and breaker.cause >= 0 then coalesce({pausedUntil}, now()) end
  from granted
  where (breaker.target, breaker.cause, breaker.state) = (granted.target, granted.cause, granted.state)
    and granted <> 0 and (is_open or pace_now is not null)
    -- Else its probes have been answered meanwhile: the cooldown goes on.
    and (granted > 0 or granted.state <> 'OPEN')
)
select target, cause::text, coalesce(granted.granted, 0) as granted, coalesce(is_open, is_held) as is_open,
  case when is_held then null when is_paused then extract(epoch from paused_until - now())
    when is_open then greatest(0, extract(epoch from probe_after - now()))
    else coalesce(greatest(0, 1 - level) / pace_now, 0.2) end::float8 as wait_seconds
from limiting
left join granted using (target, cause);
