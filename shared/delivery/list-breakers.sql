-- A hold whose time is over is none.
select target, state, deliveries, opened_at, probe_after, paused_until, ramp, hold.*
from dlq_breakers as breaker
left join lateral (
  select held_at, held_by, held_reason, nullif(held_until, 'infinity') as held_until
  where breaker.held_until > now()
) as hold on true
where cause = 0
order by target;
