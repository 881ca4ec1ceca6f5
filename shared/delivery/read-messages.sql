-- Messages of up to :maxBytes each, and of up to :maxTotal together in the order of :events. Of the others
-- only `bytes` is returned: their memory, in which a header is a multiple of its text. A row of dlq_leases
-- records that a delivery begins; its commit does not wait for the disk, so that only a crash of the server
-- at once loses it. A payload of up to 1 MiB comes as text, which needs no decoding, any other body in slices
-- of 1 MiB: the client holds a slice several times until it is decoded.
with asynchronous as materialized (select set_config('synchronous_commit', 'off', true)),
found as (
  select
    wanted.lease_token, target, event.id, payload_encoding, content_type, source_key_bytes, body, printed_as,
    headers::text as headers, {redelivery} as redelivery,
    {damaged} as damaged,
    case when body is null then payload::text end as payload_text
  from records(:events) as wanted (id bigint, lease_token uuid, target text)
  cross join lateral (
    select * from dlq_events where id = wanted.id and lease_token = wanted.lease_token limit 1
  ) as event
  -- A text is formed once, and not for each use of its column.
  offset 0
),
sized as (
  -- The length of a body is known without reading it.
  select
    *, coalesce(octet_length(body), octet_length(payload_text)) + 4 * octet_length(headers)::bigint
      + coalesce(octet_length(source_key_bytes), 0) + coalesce(octet_length(content_type), 0)
      + coalesce(octet_length(damaged::text), 0) as bytes
  from found
),
chosen as (
  select
    *,
    case when octet_length(payload_text) > 1048576 then convert_to(payload_text, 'UTF8') else body end
      as sliced,
    bytes <= :maxBytes
      and sum(bytes) filter (where bytes <= :maxBytes) over (rows unbounded preceding) <= :maxTotal as is_read
  from sized
),
begun as (
  insert into dlq_leases (token, target, event_ids)
  select lease_token, target, array_agg(id)
  from asynchronous cross join chosen where is_read group by lease_token, target
),
slices as (
  select *, generate_series(0, coalesce((octet_length(sliced) - 1) / 1048576 * is_read::int, 0)) as slice
  from chosen
)
select
  id, bytes::double precision, is_read, slice, payload_encoding, printed_as, content_type, redelivery,
  payload_text is not null as is_payload,
  case when is_read and slice = 0 then source_key_bytes end as source_key_bytes,
  case when is_read and slice = 0 then damaged end as damaged,
  case when is_read and slice = 0 then headers end as headers,
  case when is_read and sliced is null then payload_text end as payload_text,
  case when is_read then substring(sliced from slice * 1048576 + 1 for 1048576) end as body
from slices;
