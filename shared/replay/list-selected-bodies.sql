-- Lists the messages of events, to try a patch on them: up to :maxBytes together. A preview needs a bounded amount of memory
-- and time.
select id, body, payload_encoding
from (
  select id, body, payload_encoding, sum(octet_length(body)) over (order by id) as bytes
  from (
    select id, payload_encoding, dlq_body(payload, payload_encoding, body) as body
    from dlq_events
    where id = any (:ids::bigint[])
  ) as event
) as selected
where bytes <= :maxBytes::int
order by id;
