-- Takes up to `wanted` deliveries of each breaker; a negative number returns unused ones. A held target gives
-- none, nor does an open breaker; after its cooldown it gives probes, more than one if it was quiet for long.
-- One that has closed gives what is left of this second of its ramp. One that said "too many" gives none for
-- a time, obeyed like a hold, and then has a pace for an hour (set-pace.sql), which grows, as it says little
-- where little was sent (slow start: Jacobson, 1988). A time further ahead than it could be set now has
-- passed. `wait_seconds`: until a limit gives more; null if an operator has to release it.
with wanted as materialized (
  select * from records(:wanted) as wanted (target text, cause bigint, wanted integer)
),
known as materialized (
  select target, cause, coalesce(held_until > now(), false) and :obeysHolds as is_held
  from dlq_breakers
  join wanted using (target, cause)
  where num_nonnulls(held_at, ramp) > 0 or state <> 'CLOSED' or paused_until > now() - interval '1 hour'
),
locked as materialized (
  select breaker.*, wanted, state <> 'CLOSED' and :obeysBreakers as is_open,
    case when is_present then ramp_step_at else now() end as step_at,
    case when is_present then ramp else ramp[2:] end as seconds,
    probe_after not between now() + interval '1 microsecond'
      and now() + 2 * make_interval(secs => greatest(cooldown_seconds, :leaseSeconds)) as is_cool,
    :obeysHolds and paused_until > now() and paused_until <= now() + interval '1 day' as is_paused,
    {paceNow} as grown_pace
  from dlq_breakers as breaker
  join wanted using (target, cause)
  cross join lateral (
    select ramp_step_at between now() - interval '1 s' and now() + interval '5 s') as second (is_present)
  where (breaker.target, breaker.cause) in (select target, cause from known where not is_held)
  for no key update of breaker skip locked
),
granted as materialized (
  select *, case
      when wanted < 0 then wanted
      when is_paused or is_open and not is_cool then 0
      when is_open then least(wanted, {probesAtOnce})
      else least(wanted, seconds[1])
    end as granted
  from locked
),
taken as (
  update dlq_breakers as breaker
  set state = case when not is_open then 'CLOSED' when granted > 0 then 'HALF_OPEN' else 'OPEN' end,
      probe_after = case when is_open then
        now() + make_interval(secs => case when granted > 0 then :leaseSeconds else 0 end) end,
      ramp = case when seconds <> '{}' then array_prepend(seconds[1] - granted, seconds[2:]) end,
      ramp_step_at = case when seconds <> '{}' then step_at end, updated_at = now()
  from granted
  where (breaker.target, breaker.cause, breaker.state) = (granted.target, granted.cause, granted.state)
    and granted <> 0 and (is_open or granted.state = 'CLOSED' and granted.ramp is not null)
    -- Its probes have been answered meanwhile: the cooldown goes on.
    and (granted > 0 or granted.state <> 'OPEN')
)
select target, cause::text, coalesce(granted.granted, 0) as granted, coalesce(is_open, is_held) as is_open,
  grown_pace as pace,
  case when is_held then null when is_paused then extract(epoch from paused_until - now())
    when is_open then greatest(0, extract(epoch from probe_after - now()))
    else 0.2 end::float8 as wait_seconds
from known
left join granted using (target, cause);
