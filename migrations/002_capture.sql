-- Capture: one statement stores the batches of the capture function and the single failures that applications report in SQL.

-- Inserts events, or completes events that are known: a later capture adds facts that were missing and erases none.
-- Returns the events in any order, and which of them are new. `content` is the message as text, or as base64 if
-- payload_encoding is base64; `body`, in base64, is its bytes if the text alone cannot reproduce them.
--
-- A capture of an event that was delivered, or is being delivered, is a recurrence: the event failed again. After
-- max_recurrences of them it fails permanently. Two kinds of capture are duplicates instead of recurrences: a capture with the
-- delivery_id of the latest one, and, if is_key_per_delivery, a capture with the same key: such a key names one
-- delivery by the broker, and a message that failed again would have another. A capture with the valid id of a
-- redelivery is a recurrence in either case.
create function dlq_capture_events(captures json, max_recurrences integer)
returns table (id bigint, event_key text, is_new boolean) language plpgsql volatile as $$
#variable_conflict use_column
begin
  return query
  insert into dlq_events as event (
    event_key, delivery_id, event_type, event_id, payload, payload_encoding, body, content_type, headers,
    error_reason, error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, source_key_bytes, source_subscription,
    consumer_group, source_attempts, trace_id, occurred_at, metadata, fingerprint, failure_count
  )
  select
    known_key, delivery_id, event_type, event_id,
    case payload_encoding when 'json' then content::jsonb when 'none' then 'null' else to_jsonb(content) end,
    payload_encoding, bytes, content_type, coalesce(headers, '{}'),
    coalesce(error_reason, 'not reported'), error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, decode(source_key_bytes, 'base64'),
    source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata, fingerprint,
    -- A redelivered event has failed before.
    case when is_redelivered then 2 else 1 end
  from (
    -- Sorted by key: two statements with the same events must lock rows in the same order.
    select distinct on (known_key) *
    from (
      select capture.*, bytes, coalesce(known.event_key, capture.event_key) as known_key,
        known.event_key is not null as is_redelivered
      from json_to_recordset(captures) as capture (
        event_key text, redelivered_id bigint, delivery_id text, event_type text, event_id text, content text,
        payload_encoding text, body text, content_type text, headers jsonb, error_reason text, error_stacktrace text,
        error_class text, source_kind text, source_topic text, source_partition integer, source_offset bigint,
        source_key text, source_key_bytes text, source_subscription text, consumer_group text,
        source_attempts integer, trace_id text, occurred_at timestamptz, metadata jsonb, fingerprint text
      )
      cross join lateral (
        select case
          when body is not null then decode(body, 'base64')
          when payload_encoding = 'base64' then decode(content, 'base64')
          else convert_to(content, 'UTF8')
        end as bytes
      ) as exact
      -- The id of a redelivery names the row of its event, if the message is still the same: a forged or foreign id
      -- matches no row, and the capture is an event of its own. The limit keeps the planner from joining the whole
      -- table, which it does if it believes the table to be small.
      left join lateral (
        select event_key
        from dlq_events as known
        where known.id = redelivered_id
          and (known.event_key = capture.event_key or bytes = coalesce(known.body, convert_to(known.payload::text, 'UTF8')))
        limit 1
      ) as known on true
    ) as identified
    order by known_key, is_redelivered desc
  ) as identified
  on conflict (event_key) do update
  set (status, failure_count, retry_after, processed_at) = (
        select
          case
            when not is_recurrence or event.status = 'PROCESSING' then event.status
            when event.failure_count >= max_recurrences then 'FAILED_PERMANENTLY'
            else 'PENDING'
          end,
          event.failure_count + is_recurrence::int,
          case when is_recurrence then now() else event.retry_after end,
          case
            when not is_recurrence or event.status = 'PROCESSING' then event.processed_at
            when event.failure_count >= max_recurrences then now()
          end
        from (
          select event.status in ('SUCCEEDED', 'PROCESSING')
            and (excluded.delivery_id is null or excluded.delivery_id is distinct from event.delivery_id)
            and (excluded.failure_count > 1 or excluded.event_key not in (
              -- Read again only for a likely recurrence: a conflict has the columns of the table alone.
              select capture.event_key
              from json_to_recordset(captures) as capture (event_key text, is_key_per_delivery boolean)
              where coalesce(capture.is_key_per_delivery, false)
            )) as is_recurrence
          -- Or the planner repeats the expression for each use.
          offset 0
        ) as latest
      ),
      delivery_id = coalesce(excluded.delivery_id, event.delivery_id),
      -- Not now() alone: a transaction that began before the other committed has an earlier now().
      last_failure_at = greatest(event.last_failure_at, now()),
      error_reason = case event.error_reason
        when 'not reported' then excluded.error_reason
        else event.error_reason
      end,
      error_stacktrace = coalesce(event.error_stacktrace, excluded.error_stacktrace),
      error_class = coalesce(event.error_class, excluded.error_class),
      fingerprint = case
        -- The capture adds nothing about the failure.
        when (event.error_reason <> 'not reported' or excluded.error_reason = 'not reported')
          and (event.error_class is not null or excluded.error_class is null)
          and (event.error_stacktrace is not null or excluded.error_stacktrace is null) then event.fingerprint
        -- The capture brings all that is known of the failure. If it brings a part, the fingerprint is computed later.
        when event.error_reason = 'not reported' and event.error_class is null and event.error_stacktrace is null
          then excluded.fingerprint
      end,
      source_topic = coalesce(event.source_topic, excluded.source_topic),
      source_partition = coalesce(event.source_partition, excluded.source_partition),
      source_offset = coalesce(event.source_offset, excluded.source_offset),
      source_key = coalesce(event.source_key, excluded.source_key),
      source_key_bytes = coalesce(event.source_key_bytes, excluded.source_key_bytes),
      source_subscription = coalesce(event.source_subscription, excluded.source_subscription),
      consumer_group = coalesce(event.consumer_group, excluded.consumer_group),
      source_attempts = greatest(event.source_attempts, excluded.source_attempts),
      trace_id = coalesce(event.trace_id, excluded.trace_id),
      occurred_at = coalesce(event.occurred_at, excluded.occurred_at),
      metadata = coalesce(excluded.metadata || event.metadata, event.metadata, excluded.metadata),
      updated_at = now()
  returning id, event_key, xmax = 0;
end
$$;

comment on function dlq_capture_events is 'Captures a batch of failures, given as JSON; the capture function calls it.';

-- Captures a failure inside a transaction of the application, on the same database: the failure is stored if and only if
-- that transaction commits. Pass arguments by name; only event_type and payload are required. Returns the event's id.
--
--   select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout');
--
-- Identity is that of a report: event_id, else the position in a Kafka topic; without either, each call is an event of its
-- own, unless its headers have the dlo-event-id of a redelivery. None of these keys names a delivery.
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
  occurred_at         timestamptz default null,
  source_key_bytes    bytea default null,
  max_recurrences     integer default 10
) returns bigint language sql volatile as $$
  select id
  from dlq_capture_events(json_build_array(json_build_object(
    'event_key', case
        when event_id <> '' then 'id:' || event_id
        when source_topic <> '' and source_partition is not null and source_offset is not null
          then format('kafka:%s/%s/%s', source_topic, source_partition, source_offset)
        else 'sql:' || gen_random_uuid()
      end || coalesce('@' || coalesce(source_subscription, consumer_group), ''),
    'is_key_per_delivery', false,
    'redelivered_id', substring(headers ->> 'dlo-event-id' from '^\d{1,18}$'),
    'event_type', event_type,
    'event_id', event_id,
    'content', payload::text,
    'payload_encoding', 'json',
    'body', encode(body, 'base64'),
    'content_type', content_type,
    'headers', headers,
    'error_reason', error_reason,
    'error_stacktrace', error_stacktrace,
    'error_class', error_class,
    'source_kind', source_kind,
    'source_topic', source_topic,
    'source_partition', source_partition,
    'source_offset', source_offset,
    'source_key', source_key,
    'source_key_bytes', encode(source_key_bytes, 'base64'),
    'source_subscription', source_subscription,
    'consumer_group', consumer_group,
    'source_attempts', source_attempts,
    'trace_id', trace_id,
    'metadata', metadata,
    'occurred_at', occurred_at
  )), max_recurrences)
$$;

comment on function dlq_capture is 'Captures one failure within the transaction of an application. Returns the id of its event.';
