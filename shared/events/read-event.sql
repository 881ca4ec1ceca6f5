-- One event as a page shows it, without headers of more than :maxHeaders bytes. Reads up to :max bytes of its
-- body from byte :from on, or all of a payload that has to be printed: PostgreSQL fetches what the query uses
-- of an out-of-line column. Of base64, both are multiples of 3 bytes: 4 characters. A cut may be within a
-- character. Of the archive, rows are read whole, by name: a team may have added or dropped columns.
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
  case
    when event.body is not null then substring(event.body from :from for :max)
    when :max > 0 and event.printed_as is null and event.payload_encoding in ('json', 'text') then
      substring(convert_to(case event.payload_encoding
        when 'text' then event.payload #>> '{}' else event.payload::text end, 'UTF8') from :from for :max)
  end as body,
  event.printed_as,
  {bytes} as bytes,
  case
    when :max = 0 or :from > 1 and event.body is not null then null
    when event.body is not null then case when true <> all (
      select pg_input_is_valid(substring(event.body for :max - cut)::text, 'dlq_utf8')
      from generate_series(0, 3) as cut
    ) then left(case payload_encoding when 'text' then payload #>> '{}' else payload::text end, :maxText) end
    when event.printed_as is not null then event.payload::text
    when event.payload_encoding = 'base64' then
      to_jsonb(substr(event.payload #>> '{}', (:from - 1) / 3 * 4 + 1, :max / 3 * 4))::text
  end as payload_text
from (
  select *, false as is_archived from dlq_events where id = :id
  union all
  select archived.*, true from dlq_events_archive as stored
  cross join lateral jsonb_populate_record(null::dlq_events, to_jsonb(stored)) as archived
  where stored.id = :id
) as event
order by event.is_archived
limit 1;
