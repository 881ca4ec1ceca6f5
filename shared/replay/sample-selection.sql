-- The events of a sample, with the fields that edits and patches change. A message of more than :maxBytes has
-- its size alone, and so have those after four times as many bytes: a preview needs a bounded amount of
-- memory.
select
  id, event_type, source_kind, source_topic, consumer_group, status, captured_at, error_reason, headers,
  payload_encoding, printed_as, bytes, is_shown, case when is_shown then body end as body,
  case when is_shown and body is null then payload::text end as payload_text
from (
  select
    event.*, created_at as captured_at, bytes, bytes <= :maxBytes::int and 4 * :maxBytes >=
      sum(bytes) filter (where bytes <= :maxBytes) over (order by id) as is_shown
  from dlq_events as event
  cross join lateral {bytes} as bytes
  where id = any (:ids::bigint[])
) as sampled
order by id;
