-- Releases the targets whose hold has ended, with the ramp of each in :ramps, and records it in the audit.
with held as materialized (
  select target, held_at, held_by, held_until,
    array(select value::integer from json_array_elements_text(:ramps::json -> target)) as steps
  from dlq_breakers
  where held_until <= now()
  for no key update skip locked
),
released as (
  update dlq_breakers as breaker
  set held_at = null, held_by = null, held_reason = null, held_until = null,
      ramp = case when state = 'CLOSED' then nullif(steps, '{}') end,
      ramp_step_at = case when state = 'CLOSED' and steps <> '{}' then now() end
  from held
  where breaker.target = held.target
)
insert into dlq_audit (action, details)
select 'release target', jsonb_build_object('target', target, 'heldAt', held_at, 'heldBy', held_by, 'until', held_until)
from held;
