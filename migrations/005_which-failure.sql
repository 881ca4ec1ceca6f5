-- Which delivery failed, and is that failure known? The table is in docs/capture.md.

-- The row of the table, for a capture whose event is known: `voice` (nothing is counted), `recurrence` (our
-- latest delivery failed) or `another` (failure of the application); and which failure a voice tells, null if
-- it is taken for the latest.
--
-- Deliveries of ours are known by token and number, the application's by its publication, an earlier one by a
-- failure that is older than our latest delivery, by more than clocks differ. A part of a publication that is
-- not given, on either side, decides nothing, and neither does a capture that proves nothing.
--
-- Content replaces that of the event: the first content of an event `completes` it; a message makes a reprint or
-- the copy of a bridge exact, once. A capture that `decides` brings the reason and the decision of its consumer:
-- an event that waits takes those of its first report.
create function dlq_judge_capture(
  event dlq_events, capture dlq_captured, has_message boolean, is_redelivered boolean, repeats interval
) returns table (effect text, failure integer, completes boolean, replaces boolean, decides boolean)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select row_of_table.effect,
    case when effect = 'voice' and not (is_redelivered or is_older) then told end, completes,
    completes or capture.origin is null and not is_redelivered and event.is_exact is not true and has_message
      and not exists (
        select from public.dlq_captures where event_id = event.id and is_original and facts ? 'payload'),
    completes or effect <> 'voice' or has_message and capture.origin is not distinct from 'report'
      and event.status = 'PENDING' and not is_delivered_since and not exists (
        select from public.dlq_all_captures where event_id = event.id and is_report and is_proven)
  from (select
    event.failed_delivery < event.delivery_count as is_delivered_since,
    has_message and event.payload_encoding = 'none' and event.is_exact is not true as completes,
    to_timestamp(nullif(split_part(capture.publication, '@', 1), '')::numeric / 1000) as published_at,
    coalesce(capture.failed_at < greatest(
      (select max(started_at) from public.dlq_attempts where event_id = event.id),
      case when event.status = 'PROCESSING' then event.updated_at end) - interval '10 seconds', false) as is_older
  ) as facts
  cross join lateral (
    select max(gave_up_at) as gave_up_at, bool_and(is_other) as is_other, coalesce(
      max(known.failure) filter (where is_told),
      min(known.failure) filter (where first_told_at >= published_at and not is_other)) as told
    -- The failures of the application: whether each is one of this publication, or of another.
    from (
      select voice.failure, bool_or(is_same) is true as is_told, bool_or(not is_same) is true as is_other,
        min(told_at) as first_told_at, max(told_at) filter (where is_same and not is_report) as gave_up_at
      from public.dlq_all_captures as voice
      cross join lateral string_to_array(capture.publication, '@', '') as said
      cross join lateral string_to_array(publication, '@', '') as heard
      cross join lateral coalesce(
        said[1] = heard[1] and said[2] = heard[2], said[1] = heard[1], said[2] = heard[2]) as is_same
      where has_message and event_id = event.id and attempt is null and is_proven
      group by voice.failure
    ) as known
  ) as publications
  cross join lateral (select case
    when is_redelivered and is_delivered_since
      and coalesce(capture.attempt, event.delivery_count) >= event.delivery_count then 'recurrence'
    when is_redelivered or is_older or not has_message or completes and not is_delivered_since then 'voice'
    -- Its broker gave it up before: it was rewound.
    when capture.origin is distinct from 'report'
      and least(capture.failed_at, now()) > gave_up_at + repeats then 'another'
    when told is not null then 'voice'
    when is_other or published_at is not null then 'another'
    when is_delivered_since then 'recurrence'
    when event.last_failure_at > now() - repeats then 'voice'
    else 'another' end as effect
  ) as row_of_table;
end
$$;

-- Adds a capture to its event, which the caller has locked unless the capture proves nothing: such a capture is
-- compared before and after it waits for the event, so that it waits only if it adds to it. What it replaces is
-- kept, and it is recorded beside its event, once: the first 50 and the latest 50 of an event, fewer of those
-- that prove nothing.
create function dlq_add_capture(
  of bigint, capture dlq_captured, bytes bytea, message jsonb, is_redelivered boolean, repeat_seconds float
) returns void language plpgsql set search_path = pg_catalog, pg_temp set bytea_output = 'hex' as $$
declare
  -- Not a setting of the function: on Cloud SQL no login may make one.
  mode constant text := coalesce(current_setting('dlo.writes_complete_rows', true), '');
  has_proof constant boolean := is_redelivered or message is not null;
  event public.dlq_events;
  before public.dlq_events;
  judged record;
  adds boolean;
begin
  perform set_config('dlo.writes_complete_rows', 'on', true);
  select * into event from public.dlq_events where id = of;
  select * into judged from public.dlq_judge_capture(
    event, capture, message is not null, is_redelivered, make_interval(secs => repeat_seconds));

  if judged.replaces then
    insert into public.dlq_captures
      (event_id, failure, captured_at, is_first, is_original, is_report, is_proven, consumer, facts, body)
    select of, 1, event.created_at, judged.completes, not judged.completes, event.is_exact is false,
      not judged.completes, event.arrival ->> 'consumer', jsonb_object_agg(key, value), event.body
    from jsonb_each(to_jsonb(event)) where value <> 'null'
      and key ~ '^(error|source|payload|printed|content|headers|event_(type|id)|trace|occurred|metadata)';
    update public.dlq_events
    set payload = message, id_hashes = null, payload_encoding = capture.payload_encoding,
        printed_as = case when capture.payload_encoding = 'json' then capture.printed_as end,
        body = case when capture.payload_encoding = 'json' and capture.printed_as is null
          then coalesce(bytes, body) end,
        is_exact = case when capture.origin is null then true when capture.origin = 'report' then false end,
        content_type = capture.content_type, headers = coalesce(capture.headers, '{}'), updated_at = now(),
        source_key = capture.source_key, source_key_bytes = decode(capture.source_key_bytes, 'base64'),
        arrival = jsonb_strip_nulls(coalesce(arrival, '{}') || jsonb_build_object('passing', capture.passing)),
        metadata = case when jsonb_typeof(metadata) = 'object' then metadata - 'damaged' else metadata end
    where id = of;
    -- All that decides route, order, time and status is that of the first content.
    update public.dlq_events
    set (event_type, source_kind, source_topic, source_partition, source_offset, source_subscription,
          consumer_group, occurred_at, metadata, arrival) = (
          capture.event_type, capture.source_kind, capture.source_topic, capture.source_partition,
          capture.source_offset, capture.source_subscription, capture.consumer_group, capture.occurred_at,
          capture.metadata, jsonb_strip_nulls(jsonb_build_object('delivery_id', capture.delivery_id, 'origin',
            capture.origin, 'publication', capture.publication, 'consumer', capture.consumer, 'passing', capture.passing))),
        event_id = coalesce(capture.event_id, event_id), fingerprint = null, max_retries = null,
        priority = coalesce(capture.priority, 0), retry_count = 0, cause = null, retry_after = now(),
        failed_delivery = delivery_count
    where id = of and judged.completes;
  end if;

  -- A reason comes with its class and stack trace. An answer stands in for a reason until there is one.
  for step in 1 .. 2 loop
    select * into before from public.dlq_events where id = of;
    event := before;
    event.trace_id := coalesce(event.trace_id, capture.trace_id);
    event.source_attempts := coalesce(event.source_attempts, capture.source_attempts);
    if capture.error_reason is not null and (judged.decides or event.error_reason = 'not reported'
        or event.error_reason in (select error from public.dlq_attempts where event_id = of)) then
      event.error_reason := capture.error_reason;
      event.error_class := case when not judged.decides then event.error_class end;
      event.error_stacktrace := case when not judged.decides then event.error_stacktrace end;
    end if;
    if coalesce(capture.error_reason = event.error_reason, true) then
      event.error_class := coalesce(event.error_class, capture.error_class);
      event.error_stacktrace := coalesce(event.error_stacktrace, capture.error_stacktrace);
    end if;
    adds := judged.decides or (event.error_reason, event.error_class, event.error_stacktrace, event.trace_id,
      event.source_attempts) is distinct from (before.error_reason, before.error_class,
      before.error_stacktrace, before.trace_id, before.source_attempts);
    exit when has_proof or not adds;
    perform from public.dlq_events where id = of for no key update;
  end loop;
  -- Computed before groups are shown, unless it is that of all facts of the failure.
  if judged.completes or (event.error_reason, event.error_class, event.error_stacktrace)
      is distinct from (before.error_reason, before.error_class, before.error_stacktrace) then
    event.fingerprint := case when (event.error_reason, event.error_class, event.error_stacktrace)
        is not distinct from (capture.error_reason, capture.error_class, capture.error_stacktrace)
      then public.dlq_group_of(capture.fingerprint, capture.crowd, event.event_type,
        coalesce(event.source_subscription, event.consumer_group), event.error_class, event.error_reason,
        event.error_stacktrace) end;
  end if;

  -- A recurrence is a retry that failed, reported later; another failure begins the retries again.
  if judged.effect <> 'voice' then
    event.failure_count := event.failure_count + 1;
    event.failed_delivery := event.delivery_count;
    event.retry_count := case judged.effect when 'recurrence' then event.retry_count + 1 else 0 end;
    event.cause := case judged.effect when 'recurrence' then event.cause end;
    -- Not now() alone: a transaction that began before the other committed has an earlier now().
    event.last_failure_at := greatest(event.last_failure_at, now());
  end if;
  -- A worker that delivers the event keeps it. A recurrence keeps its time: after the last retry that is
  -- infinity. A consumer that says the same priority again does not overrule an operator.
  if judged.decides then
    event.updated_at := now();
    event.failure_kind := capture.error_kind;
    event.max_retries := coalesce(capture.max_retries, event.max_retries);
    if capture.priority::text is distinct from event.metadata #>> '{decided,priority}' then
      event.priority := coalesce(capture.priority, event.priority);
    end if;
    if capture.metadata ? 'decided' and coalesce(jsonb_typeof(event.metadata), 'object') = 'object' then
      event.metadata := jsonb_set(coalesce(event.metadata, '{}'), '{decided}', capture.metadata -> 'decided');
    end if;
    event.retry_after := case
      when capture.retry_after is not null then least(now() + interval '1 year', greatest(now(), case
        when capture.retry_after ~ '^[\d.]+$' then now() + capture.retry_after::float * interval '1 second'
        else capture.retry_after::timestamptz end))
      when event.processed_at is null then event.retry_after
      when judged.effect = 'recurrence' then greatest(event.retry_after, now())
      else now() end;
    if event.status <> 'PROCESSING' then
      event.status := case when capture.error_kind = 'permanent' or capture.max_retries <= event.retry_count
        or judged.effect = 'recurrence' and event.retry_after = 'infinity'
        then 'FAILED_PERMANENTLY' else 'PENDING' end;
      event.processed_at := case when event.status = 'FAILED_PERMANENTLY' then now() end;
    end if;
  end if;
  update public.dlq_events set (
    error_reason, error_class, error_stacktrace, trace_id, source_attempts, fingerprint, failure_count,
    last_failure_at, retry_count, cause, failed_delivery, failure_kind, max_retries, priority, retry_after,
    metadata, status, processed_at, updated_at, id_hashes
  ) = (
    event.error_reason, event.error_class, event.error_stacktrace, event.trace_id, event.source_attempts,
    event.fingerprint, event.failure_count, event.last_failure_at, event.retry_count, event.cause,
    event.failed_delivery, event.failure_kind, event.max_retries, event.priority, event.retry_after,
    event.metadata, event.status, event.processed_at, event.updated_at,
    case when (event.error_reason, event.trace_id) is not distinct from (error_reason, trace_id) then id_hashes end
  ) where id = of and adds;

  insert into public.dlq_captures (event_id, failure, is_first, is_report, is_proven, delivery_id, attempt,
    publication, failed_at, consumer, facts, body)
  select of, coalesce(judged.failure, event.failure_count), judged.effect <> 'voice',
    coalesce(capture.origin = 'report', false), has_proof, case when has_proof then capture.delivery_id end,
    case when is_redelivered then least(capture.attempt, event.delivery_count) end,
    capture.publication, capture.failed_at, capture.consumer, told, own_body
  from (select case when message is not null and not judged.replaces then bytes end as own_body,
    jsonb_strip_nulls(to_jsonb(capture)) - '{message_key,consumer,redelivery,attempt,delivery_id,origin,
      publication,failed_at,body_start,body_length,content,printed_as,passing,fingerprint,crowd,id_hashes}'::text[]
      as told) as facts
  where judged.effect <> 'voice' or has_proof and capture.delivery_id is not null or not exists (
    select from public.dlq_captures as other
    where other.event_id = of and other.facts = told and other.body is not distinct from own_body
      and other.publication is not distinct from capture.publication)
  on conflict do nothing;
  delete from public.dlq_captures where id = (
      select id from public.dlq_captures
      where event_id = of and not is_original order by is_proven, id offset 50 limit 1)
    and 100 < (select count(*) from public.dlq_captures where event_id = of);
  perform set_config('dlo.writes_complete_rows', mode, true);
end
$$;
