-- Lists messages of events without their bodies, to compare them with the limits of their targets.
-- Stops after 16 MiB of headers: a preview needs a bounded amount of memory.
select
  id, event_type, source_kind, source_topic, consumer_group, headers, content_type, payload_encoding,
  source_key, source_key_bytes, trace_id, {damaged} as damaged,
  {bytes} as body_bytes
from (
  select
    event.*, sum(octet_length(headers::text)) over (order by id) as headers_bytes,
    row_number() over (order by id) as position
  from (
    select event.*
    from dlq_events as event
    where id = any (:ids::bigint[])
  ) as event
) as event
where headers_bytes <= 16 * 1024 * 1024 or position = 1
order by id;
