-- Releases what is held by a name, and records actor and reason in the audit. Returns no row if it is not
-- held. Deliveries start slowly, by :ramp, as after an outage; while the breaker is open, this begins when it
-- closes.
with held as materialized (
  select target, cause, held_at, held_by
  from dlq_breakers
  where target = :target and held_until > now()
  for no key update
),
released as (
  update dlq_breakers as breaker
  set held_at = null, held_by = null, held_reason = null, held_until = null,
      ramp = case when state = 'CLOSED' then nullif(:ramp::integer[], '{}') end,
      ramp_step_at = case when state = 'CLOSED' and :ramp::integer[] <> '{}' then now() end
  from held
  where (breaker.target, breaker.cause) = (held.target, held.cause)
),
recorded as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor, 'release target', :reason,
    jsonb_build_object('target', target, 'heldAt', held_at, 'heldBy', held_by)
  from held
)
select target from held;
