-- Returns no row if there is nothing to release. Deliveries start slowly, as after an outage.
with stop as materialized (
  select id, at, actor, reason, details from dlq_audit where id = :auditId::bigint and action = 'stop'
),
held as materialized (
  select target, cause, held_at, held_by
  from dlq_breakers
  where target = :target::text and held_until > now() or held_at = (select at from stop)
  for no key update
),
paused as materialized (
  select dlq_runs.id
  from stop
  cross join jsonb_array_elements_text(details -> 'runs') as run_id
  join dlq_runs on dlq_runs.id = run_id::bigint
  where ended_at is null and paused_because = format('Stopped by %s: %s', stop.actor, stop.reason)
  for no key update of dlq_runs
),
released as (
  update dlq_breakers as breaker
  set held_at = null, held_by = null, held_reason = null, held_until = null,
      pace = case when breaker.cause = 0 then 1 end, paused_until = {pauseLeft}
  from held
  where (breaker.target, breaker.cause) = (held.target, held.cause)
),
resumed as (
  update dlq_runs set paused_because = null where id = any (array(select id from paused))
)
insert into dlq_audit (actor, action, reason, details)
select :actor, 'undo', :reason, jsonb_build_object('undoes', id::text, 'undone', 'stop') from stop
where exists (select from held) or exists (select from paused)
union all
select :actor, case target when 'schedule' then 'resume schedule' else 'release target' end, :reason,
  jsonb_build_object('target', target, 'heldAt', held_at, 'heldBy', held_by) from held
where :auditId is null
returning id;
