-- Lists the messages of the first events that a run would deliver, to try its patch on them: up to :limit, and up to
-- :maxBytes together. A preview needs a bounded amount of memory and time.
select id, body, payload_encoding, printed_as, case when body is null then payload::text end as payload_text
from (
  select
    event.*, sum(coalesce(octet_length(body), octet_length(payload::text))) over (order by id) as bytes
  from (
    select event.id, event.body, event.printed_as, event.payload, event.payload_encoding
    from dlq_events as event
    where ({filter})
      and event.lane = any (:lanes::bigint[])
      and dlq_skip_reason(event.status, event.lease_expires_at, event.edit_run_id, :includeSucceeded, :includeDiscarded) is null
    order by event.id
    limit :limit::int
  ) as event
) as selected
where bytes <= :maxBytes::int
order by id;
