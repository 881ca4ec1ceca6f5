-- `turn`: what the schedule does with the target. A hold whose time is over is none.
select target, state, opened_at, hold.*,
  case when hold.held_at is not null then 'held' when state <> 'CLOSED' and not {isCool} then 'down'
    when {isPaused} then 'paused' when state <> 'CLOSED' then 'probe' else 'open' end as turn,
  probe_after, paused_until
from dlq_breakers as breaker
left join lateral (
  select held_at, held_by, held_reason, nullif(held_until, 'infinity') as held_until
  where breaker.held_until > now()
) as hold on true
where cause = 0
order by target;
