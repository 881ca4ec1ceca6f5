-- Changes those of these events that the filter still matches and that no worker holds, as {assignments}
-- says, and records each in the audit, with {kept} as they were. {isOther} excludes those that are so.
-- Locks are taken in order of id: two actions cannot deadlock.
with picked as materialized (
  select event.id, {kept}, failure_count, delivery_count
  from dlq_events as event
  where event.id = any (:ids::bigint[]) and ({filter})
    and (event.status <> 'PROCESSING' or event.lease_expires_at <= now())
    and {isOther}
  order by event.id
  for update skip locked
),
changed as (
  update dlq_events
  set {assignments}, updated_at = now()
  where id = any (array(select id from picked))
  returning id
),
audited as (
  insert into dlq_audit_events (event_id, audit_id, {kept}, failure_count, delivery_count)
  select id, :auditId::bigint, {kept}, failure_count, delivery_count
  from picked
)
select count(*)::int as changed from changed;
