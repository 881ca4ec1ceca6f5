-- The captures of an event after the first, by the failures that they tell, each as JSON text with the
-- message that its bytes are restored from, if these are not those of the event. What they said is null from
-- the one on with which they take more than :maxBytes together: a page and an answer need a bounded amount of
-- memory.
select
  row_to_json(capture)::text as json, case when is_read then body end as body,
  case when is_read and body is null then (said -> 'payload')::text end as payload_text,
  coalesce(said ->> 'payload_encoding', 'none') as payload_encoding, said ->> 'printed_as' as printed_as,
  is_read and (body is not null or said ? 'payload') as has_body
from (
  select *, :maxBytes >= sum(octet_length(facts::text) + coalesce(octet_length(body), 0)) over (
      order by failure, id) as is_read
  from dlq_captures
  where event_id = :eventId
) as read
cross join lateral (select facts as said) as content
cross join lateral (
  select
    read.id::text as id, captured_at as "capturedAt", read.failure, is_first as "isFirst",
    case when is_original then 'original' when is_report then 'report' else 'message' end as kind, consumer,
    delivery_id as "deliveryId", attempt, publication, failed_at as "failedAt",
    case when is_read then said - array['payload', 'printed_as'] end as facts
) as capture
order by read.failure, read.id;
