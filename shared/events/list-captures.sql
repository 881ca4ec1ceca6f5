-- The captures of an event after the first, in order, each as JSON text. What they said and their bytes are null from the one on
-- with which they take more than :maxBytes together: a page and an answer need a bounded amount of memory.
select row_to_json(capture)::text as json
from (
  select
    id::text as id, captured_at as "capturedAt", failure, is_first as "isFirst",
    case when is_original then 'original' when is_report then 'report' else 'message' end as kind, consumer,
    delivery_id as "deliveryId", attempt, publication, failed_at as "failedAt",
    case when read_bytes <= :maxBytes then facts end as facts,
    case when read_bytes <= :maxBytes then translate(encode(body, 'base64'), E'\n', '') end as "bodyBase64",
    octet_length(body) as "bodyBytes"
  from (
    select *, sum(octet_length(facts::text) + coalesce(octet_length(body), 0)) over (order by failure, id) as read_bytes
    from dlq_captures
    where event_id = :eventId
  ) as sized
  order by failure, id
) as capture;
