-- Lists the messages of events, to try a patch on them: up to :maxBytes together, none of more than
-- :maxMessage. A preview needs a bounded amount of memory and time.
select id, body, payload_encoding, printed_as, case when body is null then payload::text end as payload_text
from (
  select
    event.*, sum(bytes) filter (where bytes <= :maxMessage) over (order by id) as total
  from (
    select event.id, event.body, event.printed_as, event.payload, event.payload_encoding, bytes
    from dlq_events as event
    cross join lateral coalesce(octet_length(body), octet_length(payload::text)) as bytes
    where id = any (:ids::bigint[])
  ) as event
) as selected
where total <= :maxBytes::int and bytes <= :maxMessage::int
order by id;
