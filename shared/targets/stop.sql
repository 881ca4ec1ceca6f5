-- Stops all deliveries in one action: holds each of these targets that is not held, and pauses each replay
-- that is not paused. The audit names both, so that an undo brings back exactly these. `*` stands for the
-- targets that routes bring later.
with held as (
  insert into dlq_breakers as breaker (target, cause, held_at, held_by, held_reason, held_until)
  select target, cause, now(), :actor, :reason, coalesce(:until::timestamptz, 'infinity')
  from (
    select unnest(:targets::text[]) as target, 0 as cause
    union all
    values ('*', -1)
  ) as wanted
  on conflict (target, cause) do update
  set held_at = excluded.held_at, held_by = excluded.held_by, held_reason = excluded.held_reason,
      held_until = excluded.held_until
  where (breaker.held_until > now()) is not true
  returning target, cause
),
paused as (
  update dlq_runs
  set paused_because = format('Stopped by %s: %s', :actor::text, :reason::text)
  where trigger = 'replay' and ended_at is null and paused_because is null
  returning id
)
insert into dlq_audit (actor, action, reason, details)
values (:actor, 'stop', :reason, jsonb_build_object(
  'target', '*', 'targets', array(select target from held where cause = 0 order by target),
  'runs', array(select id::text from paused order by id)))
returning id;
