-- Lists the first events that a run would deliver, with the fields that edits and patches change.
select
  id, event_type, source_kind, source_topic, consumer_group, status, created_at as captured_at, error_reason, body,
  payload_encoding, headers,
  case when body is null then payload::text end as payload_text, printed_as
from dlq_events as event
where ({filter})
  and event.lane = any (:lanes::bigint[])
  and dlq_skip_reason(event.status, event.lease_expires_at, event.edit_run_id, :includeSucceeded, :includeDiscarded) is null
order by id
limit :limit::int;
