-- Lets a paused run go on with what it has left. A new leg begins: the ramp starts anew, the gate forgets what it saw, and a
-- canary that was waited for is done with.
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
      pace = run.pace - 'canary',
      leg_began_at = now(),
      leg_began_with = run.delivered + run.failed
  from paused
  where run.id = paused.id
),
audited as (
  insert into dlq_audit (actor, act, reason, run_id, details)
  select :actor::text, 'resume run', :reason::text, id, jsonb_build_object('pausedBecause', paused_because) from paused
)
select id from paused;
