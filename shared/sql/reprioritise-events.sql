-- Gives these events another priority, as far as the filter still matches them and nobody is delivering them, and notes
-- each in the audit. Locks are taken in order of id, so that two such acts cannot wait for each other.
with picked as materialized (
  select event.id
  from dlq_events as event
  where event.id = any (:ids::bigint[]) and (:filter)
    and (event.status = 'PENDING' or (event.status = 'PROCESSING' and event.lease_expires_at <= now()))
    and event.priority <> :priority
  order by event.id
  for update skip locked
),
reprioritised as (
  update dlq_events
  set priority = :priority, updated_at = now()
  where id = any (array(select id from picked))
  returning id
),
audited as (
  insert into dlq_audit_events (event_id, audit_id) select id, :auditId::bigint from reprioritised
)
select count(*)::int as changed from reprioritised;
