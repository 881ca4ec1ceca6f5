-- Events that plain SQL has deleted or taken meanwhile wait in their replay again. If the clock has stepped
-- back, leases of the future begin again.
with timeout as materialized (select set_config('lock_timeout', '100ms', true)),
begun_anew as (
  update dlq_leases set leased_at = now() from timeout where target is null and leased_at > now()
),
gone as (
  delete from dlq_leases using timeout
  where target is null and now() - leased_at >= make_interval(secs => seconds)
    and (select true from dlq_events where id = any (event_ids) and lease_token = token limit 1) is null
  returning token, run_id, event_ids
),
waiting as (
  update dlq_run_events as run_event
  set is_leased = false
  from gone
  where run_event.run_id = gone.run_id and event_id = any (event_ids) and is_leased and not exists (
    select from dlq_events
    join dlq_leases as other on other.token = dlq_events.lease_token and other.run_id = gone.run_id
    where dlq_events.id = run_event.event_id
  )
)
delete from dlq_leases where target is not null and token = any (array(select token from gone));
