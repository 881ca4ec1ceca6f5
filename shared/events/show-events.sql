-- Events in full, also from the archive, as JSON text, so that numbers keep all their digits, in the order of
-- :ids, each with the message that its bytes are restored from. A payload, a body, headers or metadata of
-- more than :maxBytes are null, and so is the text of an unknown event. Stops after the event with which the
-- texts reach :maxTotal bytes: the others have no row.
with recursive shown as (
  select
    0 as position, null::text as json, null::bytea as body, null::text as payload_text,
    null::text as payload_encoding, null::text as printed_as, false as has_body, 0::bigint as bytes
  union all
  select
    position + 1, answer.json, answer.body, answer.payload_text, answer.payload_encoding, answer.printed_as,
    answer.has_body, bytes + coalesce(octet_length(answer.json), 0)
      + coalesce(octet_length(answer.body) * 4 / 3, octet_length(answer.payload_text), 0)
  from shown
  left join lateral (
    select
      row_to_json(fields)::text as json, case when sizes.body <= :maxBytes then event.body end as body,
      case when event.body is null and sizes.body <= :maxBytes then event.payload::text end as payload_text,
      event.payload_encoding, event.printed_as, sizes.body <= :maxBytes as has_body
    from (
      select *, false as is_archived from dlq_events where id = (:ids::bigint[])[position + 1]
      union all
      select archived.*, true from dlq_events_archive as stored
      cross join lateral jsonb_populate_record(null::dlq_events, to_jsonb(stored)) as archived
      where stored.id = (:ids::bigint[])[position + 1]
    ) as event
    cross join lateral (
      select octet_length(event.payload::text) as payload, {bytes} as body offset 0
    ) as sizes
    cross join lateral (
      select
        {columns},
        case when octet_length(event.headers::text) <= :maxBytes then event.headers end as headers,
        case when octet_length(event.metadata::text) <= :maxBytes then event.metadata end as metadata,
        case when sizes.payload <= :maxBytes then event.payload end as payload,
        sizes.payload as "payloadBytes", sizes.body as "bodyBytes"
    ) as fields
    order by event.is_archived
    limit 1
  ) as answer on true
  where position < cardinality(:ids::bigint[]) and bytes < :maxTotal
)
select json, body, payload_text, payload_encoding, printed_as, has_body
from shown where position > 0 order by position;
