-- The next events of a run to edit, after the position :after: up to :max, of up to :maxBytes together, but
-- at least one. An event that is no longer stored has no message.
with next as materialized (
  select position, event_id, outcome
  from dlq_run_events
  where run_id = :runId::bigint and position > :after::int and position <= :after::int + :max::int
    and outcome = 'waiting'
),
sized as (
  select
    next.*, event.body, event.printed_as, event.payload, event.payload_encoding,
    sum(coalesce(octet_length(event.body), octet_length(event.payload::text), 0))
      over (order by position) as bytes,
    row_number() over (order by position) as nth
  from next
  left join lateral (select * from dlq_events where id = next.event_id limit 1) as event on true
)
select
  event_id as id, position, body, payload_encoding, printed_as,
  case when body is null then payload::text end as payload_text
from sized
where bytes <= :maxBytes::int or nth = 1
order by position;
