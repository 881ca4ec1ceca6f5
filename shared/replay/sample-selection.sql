-- The events of a sample, with the fields that edits and patches change.
select
  id, event_type, source_kind, source_topic, consumer_group, status, created_at as captured_at, error_reason, headers,
  payload_encoding, dlq_body(payload, payload_encoding, body) as body
from dlq_events
where id = any (:ids::bigint[])
order by id;
