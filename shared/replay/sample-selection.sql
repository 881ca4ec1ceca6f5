-- The events of a sample, with the fields that edits and patches change.
select
  id, event_type, source_kind, source_topic, consumer_group, status, created_at as captured_at, error_reason,
  body,
  payload_encoding, headers,
  case when body is null then payload::text end as payload_text, printed_as
from dlq_events
where id = any (:ids::bigint[])
order by id;
