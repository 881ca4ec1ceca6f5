-- Brings archived events back, and notes in the audit who asked for it, why, and which came. Those that were captured anew meanwhile, or
-- are in no archive, stay away.
with restored as materialized (
  select id from dlq_restore_events(:ids::bigint[]) as id
),
act as (
  insert into dlq_audit (actor, act, reason, details)
  select :actor, 'restore', :reason, jsonb_build_object('asked', cardinality(:ids::bigint[]), 'changed', count(*))
  from restored
  returning id
),
noted as (
  insert into dlq_audit_events (event_id, audit_id) select restored.id, act.id from restored cross join act
)
select act.id as "auditId", array(select id::text from restored order by id) as restored from act;
