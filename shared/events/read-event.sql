-- One event as a page shows it, also from the archive, without headers of more than :maxHeaders bytes
-- together. Reads at most :max bytes of its body, or all of a payload that has to be printed: PostgreSQL
-- fetches only as much of an out-of-line column as the query uses.
select
  {columns}, {redelivery} as redelivery, event.event_key,
  case when octet_length(event.headers::text) <= :maxHeaders then event.headers else '{}' end as headers,
  octet_length(event.headers::text) as header_bytes,
  {damaged} as damaged,
  case when jsonb_typeof(event.metadata -> 'decided') = 'object'
    then event.metadata -> 'decided' end as decided,
  case when jsonb_typeof(event.metadata -> 'ignored') = 'object'
    then array(select jsonb_object_keys(event.metadata -> 'ignored')) end as ignored,
  case when jsonb_typeof(event.metadata -> 'withheld') = 'array'
    then array(select jsonb_array_elements_text(event.metadata -> 'withheld')) end as withheld,
  substring(event.body from 1 for :max) as body, event.printed_as,
  {bytes} as bytes,
  case
    when event.body is not null or :max = 0 then null
    when event.printed_as is not null then event.payload::text
    when jsonb_typeof(event.payload) = 'string' and event.payload_encoding in ('text', 'base64')
      then to_jsonb(left(event.payload #>> '{}', :max / 3 * 4))::text
    else left(event.payload::text, :max)
  end as payload_text
from (
  select *, false as is_archived from dlq_events where id = :id
  union all
  select *, true from dlq_events_archive where id = :id
) as event
order by event.is_archived
limit 1;
