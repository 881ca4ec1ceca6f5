-- Holds a target, or what -1 as :cause and a name mean (dlq_breakers.cause), until :until or its release, and
-- records actor and reason in the audit. Returns no row if it is held already.
with held as (
  insert into dlq_breakers as breaker (target, cause, held_at, held_by, held_reason, held_until)
  values (:target, :cause::bigint, now(), :actor, :reason, coalesce(:until::timestamptz, 'infinity'))
  on conflict (target, cause) do update
  set held_at = excluded.held_at, held_by = excluded.held_by, held_reason = excluded.held_reason,
      held_until = excluded.held_until
  where (breaker.held_until > now()) is not true
  returning target
),
recorded as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor, 'hold target', :reason,
    jsonb_strip_nulls(jsonb_build_object('target', target, 'until', :until::timestamptz))
  from held
)
select target from held;
