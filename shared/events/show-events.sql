-- Events in full, also from the archive, as JSON text, so that numbers keep all their digits, in the order of :ids. A payload,
-- a body, headers or metadata of more than :maxBytes are null, and so is the text of an unknown event. Stops after the event with which the texts
-- reach :maxTotal bytes: the others are not composed, and have no row.
with recursive shown as (
  select 0 as position, null::text as json, null::text as payload_text, null::text as printed_as, 0::bigint as bytes
  union all
  select
    position + 1, answer.json, answer.payload_text, answer.printed_as,
    bytes + coalesce(octet_length(answer.json), 0) + coalesce(octet_length(answer.payload_text), 0)
  from shown
  left join lateral (
    select
      row_to_json(event)::text as json,
      -- The caller prints these bytes.
      printed.payload_text, printed.printed_as
    from (
      select
        event.id::text as id, event.event_type as "eventType", event.status, event.priority,
        left(event.error_reason, :maxBytes) as "errorReason", event.error_class as "errorClass", event.failure_kind as "failureKind",
        left(event.error_stacktrace, :maxBytes) as "errorStacktrace", left(event.first_error_reason, :maxBytes) as "firstErrorReason",
        event.first_error_class as "firstErrorClass", left(event.first_error_stacktrace, :maxBytes) as "firstErrorStacktrace", event.fingerprint, event.source_kind as "sourceKind",
        event.source_topic as "sourceTopic", event.source_partition as "sourcePartition",
        event.source_offset::text as "sourceOffset", event.source_subscription as "sourceSubscription",
        event.consumer_group as "consumerGroup", event.source_key as "key", event.event_id as "eventId",
        event.trace_id as "traceId", event.retry_count as "retryCount", event.max_retries as "maxRetries",
        event.failure_count as "failureCount", event.created_at as "capturedAt",
        event.first_failure_at as "firstFailedAt", event.last_failure_at as "failedAt", event.occurred_at as "occurredAt",
        nullif(event.retry_after, 'infinity') as "retryAfter", event.processed_at as "processedAt", event.edit_run_id::text as "editRunId", event.reopened_at as "reopenedAt", event.lease_expires_at as "leaseExpiresAt",
        event.is_archived as "isArchived", case when octet_length(event.headers::text) <= :maxBytes then event.headers end as headers,
        case when octet_length(event.metadata::text) <= :maxBytes then event.metadata end as metadata, event.content_type as "contentType",
        event.payload_encoding as "payloadEncoding",
        case when sizes.payload <= :maxBytes then event.payload end as payload, sizes.payload as "payloadBytes",
        case
          when sizes.body > :maxBytes then null
          when event.body is not null then translate(encode(event.body, 'base64'), E'\n', '')
          when event.payload_encoding = 'base64' then event.payload #>> '{}'
          when event.payload_encoding = 'text' then translate(encode(convert_to(event.payload #>> '{}', 'UTF8'), 'base64'), E'\n', '')
        end as "bodyBase64",
        sizes.body as "bodyBytes"
      from (
        select *, false as is_archived from dlq_events where id = (:ids::bigint[])[position + 1]
        union all
        select *, true from dlq_events_archive where id = (:ids::bigint[])[position + 1]
      ) as event
      cross join lateral (select octet_length(event.payload::text) as payload,
        dlq_message_bytes(event.payload, event.payload_encoding, event.body, event.printed_as) as body) as sizes
      order by event.is_archived
      limit 1
    ) as event
    left join lateral (
      select payload::text as payload_text, printed_as from dlq_events where id = event.id::bigint and printed_as is not null
      union all
      select payload::text, printed_as from dlq_events_archive where id = event.id::bigint and printed_as is not null
      limit 1
    ) as printed on event."bodyBytes" <= :maxBytes
    offset 0
  ) as answer on true
  where position < cardinality(:ids::bigint[]) and bytes < :maxTotal
)
select json, payload_text, printed_as from shown where position > 0 order by position;
