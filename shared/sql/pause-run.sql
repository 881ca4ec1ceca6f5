-- From the next claim on the run gives nothing. Nothing comes back where it is paused already or has ended. :actor is
-- the person who asked for it, null where the run's own gate did.
with paused as (
  update dlq_runs
  set paused_because = :because::text
  where id = :runId::bigint and trigger = 'replay' and ended_at is null and paused_because is null
  returning id
),
audited as (
  insert into dlq_audit (actor, act, reason, run_id)
  select :actor::text, 'pause run', :reason::text, id from paused where :actor::text is not null
)
select id from paused;
