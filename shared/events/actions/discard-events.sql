-- Discards those of these events that the filter still matches and that no worker holds, and records each in the audit.
-- Locks are taken in order of id: two actions cannot deadlock.
with picked as materialized (
  select event.id
  from dlq_events as event
  where event.id = any (:ids::bigint[]) and ({filter})
    and (event.status in ('PENDING', 'FAILED_PERMANENTLY')
      or (event.status = 'PROCESSING' and event.lease_expires_at <= now()))
  order by event.id
  for update skip locked
),
discarded as (
  update dlq_events
  set status = 'DISCARDED', processed_at = now(), lease_token = null, lease_expires_at = null, updated_at = now()
  where id = any (array(select id from picked))
  returning id
),
audited as (
  insert into dlq_audit_events (event_id, audit_id) select id, :auditId::bigint from discarded
)
select count(*)::int as changed from discarded;
