-- Changes the priority of those of these events that the filter still matches and that no worker holds, and records each
-- in the audit. Locks are taken in order of id: two actions cannot deadlock.
with picked as materialized (
  select event.id
  from dlq_events as event
  where event.id = any (:ids::bigint[]) and ({filter})
    and (event.status = 'PENDING' or (event.status = 'PROCESSING' and event.lease_expires_at <= now()))
    and event.priority <> :priority
  order by event.id
  for update skip locked
),
reprioritized as (
  update dlq_events
  set priority = :priority, updated_at = now()
  where id = any (array(select id from picked))
  returning id
),
audited as (
  insert into dlq_audit_events (event_id, audit_id) select id, :auditId::bigint from reprioritized
)
select count(*)::int as changed from reprioritized;
