-- Returns the original message of a run's event, and the operator's edits for this run.
select
  event.event_type, event.source_kind, event.source_topic, event.consumer_group, event.payload_encoding, event.headers,
  dlq_body(event.payload, event.payload_encoding, event.body) as body,
  edit.body as edited_body, edit.headers as edited_headers
from dlq_events as event
left join dlq_run_edits as edit on edit.run_id = :runId::bigint and edit.event_id = event.id
where event.id = :eventId::bigint;
