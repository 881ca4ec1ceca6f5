-- Capture, in one place for both ways in: the function, which hands over many at once, and SQL.

-- Adds events, or completes those that are known already: a later capture brings facts that were missing and
-- erases none. Returns the events, the new ones marked, in any order. `content` is the message as text, or as base64
-- where payload_encoding says so; `body`, in base64, is its bytes where the text would not give them back.
--
-- An event that was delivered, or is just being delivered, and is captured again has come back: it failed once more,
-- and after max_returns such failures it is left to people. Two kinds of capture are no return but the same news
-- twice: one by the same carrier_id, and one whose identity a broker gives anew with each publication.
create function dlq_capture_events(captures json, max_returns integer)
returns table (id bigint, event_key text, is_new boolean) language plpgsql volatile as $$
#variable_conflict use_column
begin
  return query
  insert into dlq_events as event (
    event_key, carrier_id, event_type, event_id, payload, payload_encoding, body, content_type, headers,
    error_reason, error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, source_key_bytes, source_subscription,
    consumer_group, source_attempts, trace_id, occurred_at, metadata, fingerprint, failure_count
  )
  select
    known_key, carrier_id, event_type, event_id,
    case payload_encoding when 'json' then content::jsonb when 'none' then 'null' else to_jsonb(content) end,
    payload_encoding, bytes, content_type, coalesce(headers, '{}'),
    coalesce(error_reason, 'not reported'), error_stacktrace, error_class,
    source_kind, source_topic, source_partition, source_offset, source_key, decode(source_key_bytes, 'base64'),
    source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata, fingerprint,
    -- What we redelivered failed before.
    case when is_redelivered then 2 else 1 end
  from (
    -- In order of key, so that two statements with the same events cannot wait for each other.
    select distinct on (known_key) *
    from (
      select capture.*, bytes, coalesce(known.event_key, capture.event_key) as known_key,
        known.event_key is not null as is_redelivered
      from json_to_recordset(captures) as capture (
        event_key text, redelivered_id bigint, carrier_id text, event_type text, event_id text, content text,
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
      -- The id that we gave a redelivery names the row it came from, if the message is still the same: a forged or
      -- foreign id matches nothing, and the capture is an event of its own. The limit keeps the planner from joining
      -- the whole table, which it does where it takes it for small.
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
            when not has_returned or event.status = 'PROCESSING' then event.status
            when event.failure_count >= max_returns then 'FAILED_PERMANENTLY'
            else 'PENDING'
          end,
          event.failure_count + has_returned::int,
          case when has_returned then now() else event.retry_after end,
          case
            when not has_returned or event.status = 'PROCESSING' then event.processed_at
            when event.failure_count >= max_returns then now()
          end
        from (
          select event.status in ('SUCCEEDED', 'PROCESSING')
            and (excluded.carrier_id is null or excluded.carrier_id is distinct from event.carrier_id)
            and (event.event_key !~ '^(pubsub|pubsub-dl|sns|sqs|cloudtasks|pulsar|lambda):'
              or excluded.failure_count > 1) as has_returned
        ) as news
      ),
      carrier_id = coalesce(excluded.carrier_id, event.carrier_id),
      -- Not simply now(): a transaction that began before the other committed looks at an older clock.
      last_failure_at = greatest(event.last_failure_at, now()),
      error_reason = case event.error_reason
        when 'not reported' then excluded.error_reason
        else event.error_reason
      end,
      error_stacktrace = coalesce(event.error_stacktrace, excluded.error_stacktrace),
      error_class = coalesce(event.error_class, excluded.error_class),
      fingerprint = case
        -- What is told about the failure is what was told before.
        when (event.error_reason <> 'not reported' or excluded.error_reason = 'not reported')
          and (event.error_class is not null or excluded.error_class is null)
          and (event.error_stacktrace is not null or excluded.error_stacktrace is null) then event.fingerprint
        -- All of it is new. Where only some is, it is taken later of the whole.
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

-- Capture from inside an application's own transaction, on the same database: the failure is stored if and only if
-- that transaction commits. Arguments by name; all but event_type and payload may be left out. Returns the event's id.
--
--   select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout');
--
-- Identity is as with a report: event_id if there is one, the place in a Kafka topic, else each call is an event of
-- its own, unless its headers have the dlo-event-id of a redelivery.
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
  max_returns         integer default 10
) returns bigint language sql volatile as $$
  select id
  from dlq_capture_events(json_build_array(json_build_object(
    'event_key', case
        when event_id <> '' then 'id:' || event_id
        when source_topic <> '' and source_partition is not null and source_offset is not null
          then format('kafka:%s/%s/%s', source_topic, source_partition, source_offset)
        else 'sql:' || gen_random_uuid()
      end || coalesce('@' || coalesce(source_subscription, consumer_group), ''),
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
  )), max_returns)
$$;

revoke execute on function dlq_capture_events, dlq_capture from public;
grant execute on function dlq_capture_events, dlq_capture to dlq_capture;
