-- Leases the events that a person named, whatever their state, unless another worker holds them right now.
-- Delivered ones only where :includeSucceeded says so. Locks are taken in order of id, so that two such claims
-- cannot wait for each other.
with picked as materialized (
  select id
  from dlq_events
  where id = any (:ids::bigint[])
    and (status <> 'PROCESSING' or lease_expires_at <= now())
    and (status <> 'SUCCEEDED' or :includeSucceeded)
  order by id
  for update skip locked
)
update dlq_events
set status = 'PROCESSING',
    lease_token = :leaseToken,
    lease_expires_at = now() + make_interval(secs => :leaseSeconds),
    -- If the worker dies, the event is due for others when the lease ends, and not only after its former backoff.
    retry_after = least(retry_after, now()),
    processed_at = null,
    updated_at = now()
where id = any (array(select id from picked))
returning
  id, event_key, event_type, body, payload_encoding, content_type, headers, source_kind, source_topic, source_key,
  consumer_group, trace_id, retry_count, max_retries, failure_count, status, false as was_lost,
  case when body is null then payload::text end as payload_text;
