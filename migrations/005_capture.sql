-- Capture from inside an application's own transaction, on the same database: the failure is stored if and only if
-- that transaction commits. Arguments by name; all but event_type and payload may be left out. Returns the event's id.
--
--   select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout');
--
-- Identity is as with a report: event_id if there is one, the place in a Kafka topic, else each call is an event of
-- its own. An event that was delivered before and is captured again has come back.
create function dlq_capture(
  event_type          text,
  payload             jsonb,
  error_reason        text default null,
  error_stacktrace    text default null,
  error_class         text default null,
  event_id            text default null,
  body                bytea default null,
  content_type        text default null,
  headers             jsonb default '{}',
  source_kind         text default 'sql',
  source_topic        text default null,
  source_partition    integer default null,
  source_offset       bigint default null,
  source_key          text default null,
  source_subscription text default null,
  consumer_group      text default null,
  source_attempts     integer default null,
  trace_id            text default null,
  metadata            jsonb default null,
  occurred_at         timestamptz default null
) returns bigint language sql volatile as $$
  insert into dlq_events as event (
    event_key, event_type, event_id, payload, body, content_type, headers, error_reason, error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, source_subscription, consumer_group,
    source_attempts, trace_id, metadata, occurred_at
  )
  select
    case
      when dlq_capture.event_id <> '' then 'id:' || dlq_capture.event_id
      when dlq_capture.source_topic <> '' and dlq_capture.source_partition is not null
        and dlq_capture.source_offset is not null
        then format('kafka:%s/%s/%s', dlq_capture.source_topic, dlq_capture.source_partition, dlq_capture.source_offset)
      else 'sql:' || gen_random_uuid()
    end || coalesce('@' || coalesce(dlq_capture.source_subscription, dlq_capture.consumer_group), ''),
    dlq_capture.event_type, dlq_capture.event_id, dlq_capture.payload, dlq_capture.body, dlq_capture.content_type,
    dlq_capture.headers, coalesce(dlq_capture.error_reason, 'not reported'), dlq_capture.error_stacktrace,
    dlq_capture.error_class, dlq_capture.source_kind, dlq_capture.source_topic, dlq_capture.source_partition,
    dlq_capture.source_offset, dlq_capture.source_key, dlq_capture.source_subscription, dlq_capture.consumer_group,
    dlq_capture.source_attempts, dlq_capture.trace_id, dlq_capture.metadata, dlq_capture.occurred_at
  on conflict (event_key) do update
  set status = case event.status when 'SUCCEEDED' then 'PENDING' else event.status end,
      processed_at = case event.status when 'SUCCEEDED' then null else event.processed_at end,
      retry_after = case event.status when 'SUCCEEDED' then now() else event.retry_after end,
      failure_count = event.failure_count + (event.status in ('SUCCEEDED', 'PROCESSING'))::int,
      last_failure_at = greatest(event.last_failure_at, now()),
      error_reason = case event.error_reason when 'not reported' then excluded.error_reason else event.error_reason end,
      error_stacktrace = coalesce(event.error_stacktrace, excluded.error_stacktrace),
      error_class = coalesce(event.error_class, excluded.error_class),
      trace_id = coalesce(event.trace_id, excluded.trace_id),
      metadata = coalesce(excluded.metadata || event.metadata, event.metadata, excluded.metadata),
      updated_at = now()
  returning event.id
$$;

revoke execute on function dlq_capture from public;
grant execute on function dlq_capture to dlq_capture;
