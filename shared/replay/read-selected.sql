-- Reads events of a selection for its preview, up to 16 MiB of headers, with the bodies of up to :maxMessage
-- bytes each and :maxBytes together: a preview needs a bounded amount of memory and time.
select
  id, event_type, source_kind, source_topic, consumer_group, status, created_at as captured_at, error_reason,
  headers, content_type, payload_encoding, printed_as, source_key, source_key_bytes, trace_id,
  {damaged} as damaged, bytes as body_bytes, is_read, case when is_read then body end as body,
  case when is_read and body is null then payload::text end as payload_text
from (
  select
    event.*, bytes, row_number() over in_order as nth,
    sum(octet_length(headers::text)) over in_order as headers_bytes,
    bytes <= :maxMessage::int
      and sum(bytes) filter (where bytes <= :maxMessage) over in_order <= :maxBytes::int as is_read
  from dlq_events as event
  cross join lateral {bytes} as bytes
  where id = any (:ids::bigint[])
  window in_order as (order by id)
) as event
where headers_bytes <= 16 * 1024 * 1024 or nth = 1
order by id;
