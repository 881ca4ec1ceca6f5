-- Makes those of these events due now that the filter still matches, and records each in the audit. Their retry count is
-- reset: with all retries used up, the next failure would be permanent. Locks are taken in order of id: two actions
-- cannot deadlock.
with picked as materialized (
  select event.id
  from dlq_events as event
  where event.id = any (:ids::bigint[]) and ({filter})
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
