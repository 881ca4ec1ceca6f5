-- Ends a run. Deliveries in flight are still counted; waiting events keep their state and are not delivered
-- by this run.
with cancelled as (
  update dlq_runs
  set ended_at = now(), stopped = 'cancelled'
  where id = :runId::bigint and trigger = 'replay' and ended_at is null
  returning id, waiting
),
audited as (
  insert into dlq_audit (actor, action, reason, run_id, details)
  select :actor::text, 'cancel run', :reason::text, id, jsonb_build_object('waiting', waiting) from cancelled
)
select id from cancelled;
