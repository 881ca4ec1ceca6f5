-- One event as a page shows it, also from the archive, without headers of more than :maxHeaders bytes
-- together. Reads at most :max bytes of its body, or all of a payload that has to be printed: PostgreSQL
-- fetches only as much of an out-of-line column as the query uses.
select
  event.id, dlq_redelivery(event.id, event.redelivery_token) as redelivery, event.event_key, event.event_type,
  event.event_id, event.conflicts_with, event.status, event.priority, event.payload_encoding, event.is_exact,
  event.content_type,
  case when octet_length(event.headers::text) <= :maxHeaders then event.headers else '{}' end as headers,
  octet_length(event.headers::text) as header_bytes, dlq_damaged(event.metadata) as damaged,
  case when jsonb_typeof(event.metadata -> 'decided') = 'object' then event.metadata -> 'decided' end as decided,
  case when jsonb_typeof(event.metadata -> 'ignored') = 'object'
    then array(select jsonb_object_keys(event.metadata -> 'ignored')) end as ignored,
  case when jsonb_typeof(event.metadata -> 'withheld') = 'array'
    then array(select jsonb_array_elements_text(event.metadata -> 'withheld')) end as withheld,
  substring(event.body from 1 for :max) as body, event.printed_as,
  coalesce(dlq_message_bytes(event.payload, event.payload_encoding, event.body, event.printed_as),
    octet_length(event.payload::text)) as bytes,
  case
    when event.body is not null or :max = 0 then null
    when event.printed_as is not null then event.payload::text
    when jsonb_typeof(event.payload) = 'string' and event.payload_encoding in ('text', 'base64')
      then to_jsonb(left(event.payload #>> '{}', :max / 3 * 4))::text
    else left(event.payload::text, :max)
  end as payload_text,
  event.error_class, left(event.error_reason, 150001) as error_reason,
  left(event.error_stacktrace, 150001) as error_stacktrace, event.answer, event.failure_kind,
  event.fingerprint, event.source_kind, event.source_topic, event.source_partition, event.source_offset,
  event.source_key, event.source_subscription, event.consumer_group, event.source_attempts, event.trace_id,
  event.occurred_at, event.created_at, event.first_failure_at, event.last_failure_at, event.failure_count,
  event.delivery_count, event.retry_count, event.max_retries,
  nullif(event.retry_after, 'infinity') as retry_after, event.processed_at, event.reopened_at,
  event.edited_from, (
    select min(id) from dlq_events where edited_from = coalesce(event.edited_from, event.id) and id > event.id
  ) as replaced_by, event.lease_expires_at, event.is_archived
from (
  select *, false as is_archived from dlq_events where id = :id
  union all
  select *, true from dlq_events_archive where id = :id
) as event
order by event.is_archived
limit 1;
