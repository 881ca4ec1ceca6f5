-- Resumes a paused run. A new stage begins: the ramp starts again, the gate's window is empty, and the canary
-- is removed.
with paused as (
  select id, paused_because
  from dlq_runs
  where id = :runId::bigint and trigger = 'replay' and ended_at is null and paused_because is not null
  for no key update
),
resumed as (
  update dlq_runs as run
  set paused_because = null,
      recent = '',
      rollout = run.rollout - 'canary',
      stage_began_at = now(),
      stage_began_with = run.delivered + run.failed
  from paused
  where run.id = paused.id
),
audited as (
  insert into dlq_audit (actor, action, reason, run_id, details)
  select :actor::text, 'resume run', :reason::text, id, jsonb_build_object('pausedBecause', paused_because)
  from paused
)
select id from paused;
