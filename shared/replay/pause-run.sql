-- Pauses a run from the next claim on. Returns no row if it is paused already or has ended.
with paused as (
  update dlq_runs
  set paused_because = :because::text
  where id = :runId::bigint and trigger = 'replay' and ended_at is null and paused_because is null
  returning id
),
audited as (
  insert into dlq_audit (actor, action, reason, run_id)
  select :actor::text, 'pause run', :reason::text, id from paused
)
select id from paused;
