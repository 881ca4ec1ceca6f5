-- Restores archived events, and records the actor, the reason and the restored events in the audit. Ids that
-- are not in the archive, or whose events were captured again since, are ignored; no row if all are.
with restored as materialized (
  select id from dlq_restore_events(:ids::bigint[]) as id
),
entry as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor, 'restore', :reason,
    jsonb_build_object('asked', cardinality(:ids::bigint[]), 'changed', count(*))
  from restored
  having count(*) > 0
  returning id
),
recorded as (
  insert into dlq_audit_events (event_id, audit_id)
  select restored.id, entry.id from restored cross join entry
)
select entry.id as audit_id, array(select id::text from restored order by id) as restored from entry;
