-- Lists the messages of events, to try a patch on them: up to :maxBytes together. A preview needs a bounded
-- amount of memory and time.
select id, body, payload_encoding, printed_as, case when body is null then payload::text end as payload_text
from (
  select
    event.*, sum(coalesce(octet_length(body), octet_length(payload::text))) over (order by id) as bytes
  from (
    select event.id, event.body, event.printed_as, event.payload, event.payload_encoding
    from dlq_events as event
    where id = any (:ids::bigint[])
  ) as event
) as selected
where bytes <= :maxBytes::int
order by id;
