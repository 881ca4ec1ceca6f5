-- Captures of known events: whether they are the same message, and what they add.

-- Adds captures to the events of their keys, one per event and call, and returns these and all that contradict their event,
-- with the key for the next round. Called by dlq_capture_events, which states the rules.
-- Longer than 60 lines: whether a capture is the same message, a new failure, and what it adds are judged over one row.
create function dlq_complete_events(
  captures json, bodies bytea, places integer[], keys text[], levels integer[], max_recurrences integer,
  repeat_seconds double precision
) returns table (place integer, id bigint, is_same boolean, next_key text, next_level integer)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  -- A statement of its own, so that the next one sees what the lock waited for.
  perform from public.dlq_events as event
  where event.event_key = any (array(select keys[pending] from unnest(places) as pending))
  order by event.event_key
  for update;

  return query
  with received as materialized (
    select
      capture.*, ordinality::integer as place, coalesce(content_rank, 4) as rank, coalesce(is_type_told, true) as is_told,
      public.dlq_key_consumer(event_key, source_subscription, consumer_group) as consumer,
      bytes, public.dlq_message_payload(payload_encoding, bytes, content) as payload
    from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as capture
    cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
    where ordinality = any (places)
  ),
  judged as materialized (
    select
      event.id, received.place, identity.is_same, has_equal_bytes,
      has_same_content and received.rank > event.content_rank as takes_content,
      not is_redelivered and received.rank >= 3 and event.content_rank < 3 as is_copy,
      coalesce(
        received.is_key_per_delivery and not is_redelivered
          or (received.delivery_id = event.delivery_id or received.delivery_id = any (event.earlier_delivery_ids))
            and (received.is_delivery_guessed is not true or event.last_failure_at > now() - make_interval(secs => repeat_seconds)
              -- Only its content identifies it, so that no id of a redelivery can come back: in doubt it failed again.
              and not (event.event_key like 'sha256:%' and not is_redelivered and event.status in ('PROCESSING', 'SUCCEEDED'))),
        false) as is_repetition
    from received
    join public.dlq_events as event on event.event_key = keys[received.place]
    cross join lateral (
      select
        coalesce(received.redelivery = public.dlq_redelivery(event.id, event.redelivery_token), false) as is_redelivered,
        public.dlq_equals_body(received.bytes, received.printed_as, received.payload, event.body, event.printed_as,
          event.payload, event.payload_encoding) as has_equal_bytes
    ) as equality
    cross join lateral (
      select has_equal_bytes or received.payload = event.payload or 'none' in (received.payload_encoding, event.payload_encoding)
        as has_same_content
    ) as content
    cross join lateral (
      select is_redelivered or coalesce(levels[received.place], 0) > 1 or has_same_content
        and (received.event_type = event.event_type or not (received.is_told and event.is_type_told))
        and coalesce(received.source_topic = event.source_topic, true)
        and coalesce(public.dlq_message_time(received.event_key, received.occurred_at, received.metadata)
          = public.dlq_message_time(event.event_key, event.occurred_at, event.metadata), true)
        and coalesce(received.consumer = coalesce(
          public.dlq_key_consumer(event.event_key, event.source_subscription, event.consumer_group),
          event.metadata ->> 'keyConsumer'), true) as is_same
    ) as identity
  ),
  ruled as (
    select distinct on (judged.id)
      judged.*,
      received.is_told and not event.is_type_told
        or event.event_type = 'unknown' and received.event_type <> 'unknown' as takes_type,
      -- Coordinates belong to one transport.
      event.source_partition is null and event.source_offset is null
        and (event.source_topic is null or coalesce(event.source_topic = received.source_topic, false))
        and (event.source_kind = received.source_kind or event.content_rank < 3 or received.rank < 3) as takes_position,
      (takes_content or event.source_key is null and event.source_key_bytes is null)
        and num_nonnulls(received.source_key, received.source_key_bytes) > 0 as takes_key,
      coalesce(received.error_reason <> event.error_reason, false)
        and (event.error_reason = 'not reported' or is_failure
          -- A bridge lost the stack trace, and with it the cause.
          or takes_content and event.content_rank = 3 and event.error_stacktrace is null
            and received.error_stacktrace is not null) as takes_reason,
      coalesce(received.error_reason = event.error_reason, true) as adds_to_reason,
      is_failure, is_failure and event.status <> 'PENDING' as has_recurred,
      -- A copy is the same failure: it decides what the report left open.
      not (is_repetition or is_copy and (event.status <> 'PENDING' or coalesce(event.metadata ? 'decided', false))) as decides
    from judged
    join received using (place)
    join public.dlq_events as event on event.id = judged.id
    cross join lateral (select not (is_repetition or is_copy) as is_failure) as failing
    where judged.is_same
    order by judged.id, judged.place
  ),
  merged as (
    select
      ruled.*,
      case when takes_type then received.event_type else event.event_type end as event_type,
      coalesce(event.event_id, received.event_id) as event_id,
      coalesce(case when takes_content then received.content_type end, event.content_type) as content_type,
      case when takes_content then coalesce(received.headers, '{}') else event.headers end as headers,
      case when takes_reason then received.error_reason else event.error_reason end as error_reason,
      case
        when takes_reason and event.error_reason <> 'not reported' then received.error_class
        else coalesce(event.error_class, case when takes_reason or adds_to_reason then received.error_class end)
      end as error_class,
      case
        when takes_reason and event.error_reason <> 'not reported' then received.error_stacktrace
        else coalesce(event.error_stacktrace, case when takes_reason or adds_to_reason then received.error_stacktrace end)
      end as error_stacktrace,
      coalesce(event.source_topic, case when takes_position then received.source_topic end) as source_topic,
      case when takes_position then received.source_partition else event.source_partition end as source_partition,
      case when takes_position then received.source_offset else event.source_offset end as source_offset,
      case when takes_key then received.source_key else event.source_key end as source_key,
      coalesce(event.source_subscription, received.source_subscription) as source_subscription,
      coalesce(event.consumer_group, received.consumer_group) as consumer_group,
      greatest(event.source_attempts, received.source_attempts) as source_attempts,
      coalesce(event.trace_id, received.trace_id) as trace_id,
      coalesce(event.occurred_at, received.occurred_at) as occurred_at,
      -- An event whose key names no consumer belongs to the first one that a capture names.
      public.dlq_merge_metadata(event.metadata, received.metadata, takes_content, decides, keys_consumer) as metadata
    from ruled
    join received using (place)
    join public.dlq_events as event on event.id = ruled.id
    cross join lateral (
      select case
        when received.consumer is null or event.event_key = received.event_key or event.metadata ? 'keyConsumer' then '{}'
        else jsonb_build_object('keyConsumer', received.consumer)
      end as keys_consumer
    ) as joining
  ),
  completed as (
    update public.dlq_events as event
    set event_type = merged.event_type,
        is_type_told = event.is_type_told or received.is_told,
        event_id = merged.event_id,
        payload = case when takes_content then received.payload else event.payload end,
        payload_encoding = case when takes_content then received.payload_encoding else event.payload_encoding end,
        body = case when not takes_content then event.body when received.printed_as is null then received.bytes end,
        printed_as = case when takes_content then nullif(received.printed_as, 'payload') else event.printed_as end,
        content_rank = case when takes_content then received.rank else event.content_rank end,
        content_type = merged.content_type,
        headers = merged.headers,
        error_reason = merged.error_reason,
        error_class = merged.error_class,
        error_stacktrace = merged.error_stacktrace,
        fingerprint = case merged_failure
          when public.dlq_failure_facts(event.event_type, event.source_subscription, event.consumer_group, event.error_reason,
            event.error_class, event.error_stacktrace) then event.fingerprint
          when public.dlq_failure_facts(received.event_type, received.source_subscription, received.consumer_group,
            received.error_reason, received.error_class, received.error_stacktrace) then received.fingerprint
          -- Neither capture alone says all of it: maintenance computes it.
        end,
        first_error_reason = case when keeps_first then event.error_reason else event.first_error_reason end,
        first_error_class = case when keeps_first then event.error_class else event.first_error_class end,
        first_error_stacktrace = case when keeps_first then event.error_stacktrace else event.first_error_stacktrace end,
        first_fingerprint = case when keeps_first then event.fingerprint else event.first_fingerprint end,
        source_topic = merged.source_topic,
        source_partition = merged.source_partition,
        source_offset = merged.source_offset,
        source_key = merged.source_key,
        source_key_bytes = case when takes_key then decode(received.source_key_bytes, 'base64') else event.source_key_bytes end,
        source_subscription = merged.source_subscription,
        consumer_group = merged.consumer_group,
        source_attempts = merged.source_attempts,
        trace_id = merged.trace_id,
        occurred_at = merged.occurred_at,
        delivery_id = case when is_repetition then event.delivery_id else coalesce(received.delivery_id, event.delivery_id) end,
        earlier_delivery_ids = case
          when is_repetition or event.delivery_id is null or received.delivery_id is not distinct from event.delivery_id
            then event.earlier_delivery_ids
          else (array_prepend(event.delivery_id, event.earlier_delivery_ids))[:100]
        end,
        status = next_status,
        failure_kind = case when decides and (is_failure or received.error_kind is not null) then received.error_kind else event.failure_kind end,
        max_retries = coalesce(case when decides then received.max_retries end, event.max_retries),
        -- A consumer that says the same priority again does not overrule an operator.
        priority = case when decides and received.priority::text <> coalesce(event.metadata #>> '{decided,priority}', '')
          then received.priority else event.priority end,
        failure_count = event.failure_count + has_recurred::int,
        failed_delivery = case when has_recurred then event.delivery_count else event.failed_delivery end,
        retry_after = coalesce(case when decides then public.dlq_retry_time(received.retry_after) end,
          case when has_recurred then now() else event.retry_after end),
        processed_at = case
          when next_status = event.status and not has_recurred then event.processed_at
          when next_status = 'FAILED_PERMANENTLY' then now()
        end,
        -- Not now() alone: a transaction that began before the other committed has an earlier now().
        last_failure_at = case when is_failure then greatest(event.last_failure_at, now()) else event.last_failure_at end,
        metadata = public.dlq_add_other_captures(
          merged.metadata,
          public.dlq_facts_not_shown(public.dlq_shown_facts(event.event_type, event.event_id, event.content_type, event.headers,
            case when not keeps_first then event.error_reason end, case when not keeps_first then event.error_class end,
            case when not keeps_first then event.error_stacktrace end, event.source_kind, event.source_topic,
            event.source_partition, event.source_offset, event.source_key, event.trace_id, event.occurred_at,
            case when not coalesce(merged.metadata -> 'decided' @> (event.metadata -> 'decided'), true)
              then jsonb_build_object('decided', event.metadata -> 'decided') end,
            case when is_replaced then event.payload end, case when is_replaced then event.body end,
            case when is_replaced then event.printed_as end), shown),
          public.dlq_facts_not_shown(public.dlq_shown_facts(received.event_type, received.event_id, received.content_type, received.headers,
            received.error_reason, received.error_class, received.error_stacktrace, received.source_kind, received.source_topic,
            received.source_partition, received.source_offset, received.source_key, received.trace_id, received.occurred_at,
            case when received.metadata ? 'decided' or not event.metadata @> received.metadata then received.metadata end,
            case when not (takes_content or has_equal_bytes) then received.payload end,
            case when not (takes_content or has_equal_bytes) then received.bytes end, null), shown)),
        updated_at = case when is_repetition then event.updated_at else now() end
    from merged
    join received using (place)
    cross join lateral (
      select
        public.dlq_shown_facts(merged.event_type, merged.event_id, merged.content_type, merged.headers, merged.error_reason,
          merged.error_class, merged.error_stacktrace, null, merged.source_topic, merged.source_partition,
          merged.source_offset, merged.source_key, merged.trace_id, merged.occurred_at,
          case when merged.metadata @> received.metadata then received.metadata end, null, null, null) as shown,
        public.dlq_failure_facts(merged.event_type, merged.source_subscription, merged.consumer_group, merged.error_reason,
          merged.error_class, merged.error_stacktrace) as merged_failure
    ) as facts
    cross join lateral (
      select
        takes_content and not has_equal_bytes as is_replaced,
        takes_reason and not is_repetition and known.error_reason <> 'not reported' and known.first_error_reason is null as keeps_first,
        public.dlq_next_status(known.status, has_recurred, decides,
          coalesce(received.error_kind = 'permanent' or received.max_retries <= known.retry_count, false),
          known.failure_count >= max_recurrences) as next_status
      from public.dlq_events as known
      where known.id = merged.id
    ) as outcome
    where event.id = merged.id
  )
  select
    judged.place, judged.id, judged.is_same,
    case
      when judged.is_same then null
      -- It was compared with the event of its id that knows more, or less, of the consumer.
      when next.level = 0 then received.event_key
      else public.dlq_conflict_key(received.event_key, next.level, received.payload,
        public.dlq_message_time(received.event_key, received.occurred_at, received.metadata), received.event_type,
        received.source_topic)
    end,
    next.level
  from judged
  join received using (place)
  left join ruled using (place)
  cross join lateral (
    select case
      when coalesce(levels[received.place], 0) = 0 and keys[received.place] <> received.event_key then 0
      else coalesce(levels[received.place], 0) + 1
    end as level
  ) as next
  where not judged.is_same or ruled.place is not null;
end
$$;

comment on function dlq_complete_events is 'Adds captures to known events. dlq_capture_events calls it.';
