-- Returns the original message of a run's event, and the operator's edits for this run.
select
  event.event_type, event.source_kind, event.source_topic, event.consumer_group,
  event.body, event.payload_encoding, event.headers,
  case when event.body is null then event.payload::text end as payload_text, event.printed_as,
  edit.body as edited_body, edit.headers as edited_headers
from dlq_events as event
left join dlq_run_edits as edit on edit.run_id = :runId::bigint and edit.event_id = event.id
where event.id = :eventId::bigint;
