-- Makes these events due now, as far as the filter still matches them, and notes each in the audit. They begin anew: with
-- their retries used up the next failure would be their last. Locks are taken in order of id, so that two such acts
-- cannot wait for each other.
with picked as materialized (
  select event.id
  from dlq_events as event
  where event.id = any (:ids::bigint[]) and (:filter)
    and event.status in ('DISCARDED', 'FAILED_PERMANENTLY', 'SUCCEEDED')
  order by event.id
  for update skip locked
),
reopened as (
  update dlq_events
  set status = 'PENDING', processed_at = null, retry_count = 0, retry_after = now(), updated_at = now()
  where id = any (array(select id from picked))
  returning id
),
audited as (
  insert into dlq_audit_events (event_id, audit_id) select id, :auditId::bigint from reopened
)
select count(*)::int as changed from reopened;
