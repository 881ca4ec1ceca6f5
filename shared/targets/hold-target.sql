-- Holds a target, and records actor and reason in the audit. Returns no row if it is held already.
with held as (
  insert into dlq_breakers as breaker (target, held_at, held_by, held_reason)
  values (:target, now(), :actor, :reason)
  on conflict (target, cause) do update
  set held_at = excluded.held_at, held_by = excluded.held_by, held_reason = excluded.held_reason
  where breaker.held_at is null
  returning target
),
recorded as (
  insert into dlq_audit (actor, action, reason, details)
  select :actor, 'hold target', :reason, jsonb_build_object('target', target) from held
)
select target from held;
