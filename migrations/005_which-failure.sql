-- Which delivery failed, and is that failure known? The table is in docs/capture.md.

-- The row of the table, for a capture whose event is known: `voice` (nothing is counted), `recurrence` (our
-- latest delivery failed) or `another` (failure of the application); and which failure a voice tells, null if
-- it is taken for the latest. Deliveries of ours are known by token and number, the application's by their
-- publication, an earlier one by a failure older than our latest delivery, by more than clocks differ. A part
-- of a publication that is not given, on either side, decides nothing. Neither does a capture without proof.
--
-- Content replaces that of the event: the first content of an event `completes` it; a message makes a reprint
-- or the copy of a bridge exact, once. A capture that `decides` brings the reason and the decision of its
-- consumer: an event that waits takes those of its first report.
create function dlq_judge_capture(
  of bigint, capture dlq_captured, has_message boolean, is_redelivered boolean, repeats interval
) returns table (effect text, failure integer, completes boolean, replaces boolean, decides boolean)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query select row_of_table.effect,
    case when effect = 'voice' and not is_redelivered then told end, completes,
    completes or has_message and capture.origin is null and not is_redelivered
      and event.is_exact is not true and not exists (
        select from public.dlq_captures where event_id = of and is_original and facts ? 'payload'),
    completes or effect <> 'voice' or has_message and capture.origin is not distinct from 'report'
      and event.status = 'PENDING' and not is_delivered_since and not exists (
        select from public.dlq_all_captures where event_id = event.id and is_report and is_proven)
  from public.dlq_events as event
  cross join lateral greatest(case when event.status = 'PROCESSING' then event.updated_at end, '-infinity',
    (select max(started_at) from public.dlq_attempts where event_id = of)) as delivered_at
  cross join lateral (select
    has_message and event.payload_encoding = 'none' and event.is_exact is not true as completes,
    to_timestamp(nullif(split_part(capture.publication, '@', 1), '')::numeric / 1000) as published_at,
    capture.failed_at < delivered_at - interval '10 s' and delivered_at < now() + interval '5 s' as is_older,
    event.failed_delivery < event.delivery_count and (event.status = 'SUCCEEDED' or not exists (
      select from public.dlq_captures where event_id = of and is_first and captured_at > delivered_at
    )) as is_delivered_since
  ) as facts
  cross join lateral (
    select max(gave_up_at) as gave_up_at, bool_and(is_told is false) as is_other, coalesce(
      max(known.failure) filter (where is_told),
      min(known.failure) filter (where first_told_at >= published_at and is_told is null)) as told
    -- The failures of the application: whether each is of this publication; null: it is not known.
    from (
      select voice.failure, bool_or(is_same) as is_told, min(told_at) as first_told_at,
        max(told_at) filter (where is_same and not is_report) as gave_up_at
      from public.dlq_all_captures as voice
      cross join lateral string_to_array(capture.publication, '@', '') as said
      cross join lateral string_to_array(publication, '@', '') as heard
      cross join lateral coalesce(
        said[1] = heard[1] and said[2] = heard[2], said[1] = heard[1], said[2] = heard[2]) as is_same
      where event_id = event.id and attempt is null and is_proven
      group by voice.failure
    ) as known
  ) as publications
  cross join lateral (select case
    when is_redelivered and event.failed_delivery < event.delivery_count
      and coalesce(capture.attempt, event.delivery_count) >= event.delivery_count then 'recurrence'
    when is_redelivered or is_older or not has_message or completes and not is_delivered_since then 'voice'
    -- Its broker gave it up before: it was rewound.
    when capture.origin is distinct from 'report'
      and least(capture.failed_at, now()) > gave_up_at + repeats then 'another'
    when told is not null then 'voice'
    when is_other or published_at is not null then 'another'
    when is_delivered_since then 'recurrence'
    when event.last_failure_at > now() - repeats and event.last_failure_at < now() + repeats then 'voice'
    else 'another' end as effect
  ) as row_of_table
  where event.id = of;
end
$$;

-- Replaces the content of an event by that of a capture, and keeps what it replaces. With its first content
-- the event is `completed`: all that decides route, order, time and status is that of this capture.
create function dlq_replace_content(
  event dlq_events, capture dlq_captured, bytes bytea, message jsonb, completes boolean
) returns void language sql set search_path = pg_catalog, pg_temp set bytea_output = 'hex' as $$
  insert into public.dlq_captures
    (event_id, failure, captured_at, is_first, is_original, is_report, is_proven, consumer, facts, body)
  select event.id, 1, event.created_at, completes, not completes, event.is_exact is false, not completes,
    event.arrival ->> 'consumer', jsonb_object_agg(key, value), event.body
  from jsonb_each(to_jsonb(event)) where value <> 'null'
    and key ~ '^(error|source|payload|printed|content|headers|event_(type|id)|trace|occurred|metadata)';
  update public.dlq_events as replaced
  set payload = message, payload_encoding = capture.payload_encoding,
      printed_as = case when capture.payload_encoding = 'json' then capture.printed_as end,
      body = case when capture.printed_as is null and (capture.payload_encoding = 'json'
        or capture.content is not null) then coalesce(bytes, event.body) end,
      is_exact = case when capture.origin is null then true when capture.origin = 'report' then false end,
      content_type = capture.content_type, headers = coalesce(capture.headers, '{}'),
      source_key = capture.source_key, source_key_bytes = decode(capture.source_key_bytes, 'base64'),
      arrival = jsonb_strip_nulls(jsonb_build_object('passing', capture.passing) || case
        when completes then jsonb_build_object('delivery_id', capture.delivery_id, 'origin', capture.origin,
          'publication', capture.publication, 'consumer', capture.consumer, 'failed_at', capture.failed_at)
        else coalesce(event.arrival, '{}') - 'passing' end),
      metadata = case when not completes and jsonb_typeof(event.metadata) = 'object'
        then event.metadata - 'damaged' else told.metadata end,
      id_hashes = null, updated_at = now(), event_id = coalesce(told.event_id, event.event_id),
      (event_type, source_kind, source_topic, source_partition, source_offset, source_subscription,
        consumer_group, occurred_at, max_retries, priority, retry_count, retry_after, cause, failed_delivery)
        = (told.event_type, told.source_kind, told.source_topic, told.source_partition, told.source_offset,
        told.source_subscription, told.consumer_group, told.occurred_at, told.max_retries, told.priority,
        told.retry_count, told.retry_after, told.cause, told.failed_delivery)
  from jsonb_populate_record(event, case when completes then to_jsonb(capture) || jsonb_build_object(
    'max_retries', null, 'priority', coalesce(capture.priority, 0), 'retry_count', 0, 'retry_after', now(),
    'cause', null, 'failed_delivery', event.delivery_count) else '{}' end) as told
  where replaced.id = event.id
$$;

-- Adds to an event what a capture says. A reason comes with its class and stack trace. An answer stands in
-- for a reason until there is one. The error group is computed before groups are shown, unless it is that of
-- all facts of the failure.
--
-- A recurrence is a retry that failed, reported later; another failure begins the retries again. A worker
-- that delivers the event keeps it. A recurrence keeps its time: after the last retry that is infinity. A
-- consumer that says the same priority again does not overrule an operator.
create function dlq_change_event(
  of bigint, capture dlq_captured, effect text, completes boolean, decides boolean
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  told constant text[] := array[capture.error_reason, capture.error_class, capture.error_stacktrace];
begin
  update public.dlq_events
  set trace_id = coalesce(trace_id, capture.trace_id),
      source_attempts = coalesce(source_attempts, capture.source_attempts),
      (error_reason, error_class, error_stacktrace, fingerprint, id_hashes) = (
        select latest[1], latest[2], latest[3], case
            when latest = known and not completes then fingerprint
            when latest = told then public.dlq_group_of(capture.fingerprint, capture.crowd, event_type,
              coalesce(source_subscription, consumer_group), latest[2], latest[1], latest[3]) end,
          case when latest[1] = error_reason and (trace_id is not null or capture.trace_id is null)
            then id_hashes end
        from (select array[error_reason, error_class, error_stacktrace] as known, case
          when decides and told[1] is not null then told
          when told[1] is null or error_reason in (told[1], 'not reported')
              or error_reason in (select error from public.dlq_attempts where event_id = of)
            then array[coalesce(told[1], error_reason), coalesce(error_class, told[2]),
              coalesce(error_stacktrace, told[3])]
          else array[error_reason, error_class, error_stacktrace] end as latest) as reasons),
      failure_count = failure_count + (effect <> 'voice')::integer,
      failed_delivery = case when effect = 'recurrence' or effect = 'another' and status = 'PROCESSING'
        then delivery_count else failed_delivery end,
      cause = case when effect <> 'another' then cause end,
      -- Not now() alone: a transaction that began before the other committed has an earlier now().
      last_failure_at = greatest(last_failure_at, case when effect <> 'voice' then now() end),
      failure_kind = case when decides then capture.error_kind else failure_kind end,
      max_retries = coalesce(case when decides then capture.max_retries end, max_retries),
      priority = coalesce(case when decides and capture.priority::text
        is distinct from metadata #>> '{decided,priority}' then capture.priority end, priority),
      metadata = case when decides and capture.metadata ? 'decided'
          and coalesce(jsonb_typeof(metadata), 'object') = 'object'
        then coalesce(metadata, '{}') || jsonb_build_object('decided', capture.metadata -> 'decided')
        else metadata end,
      updated_at = case when decides then now() else updated_at end,
      (retry_count, retry_after, status, processed_at) = (
        select retries, due, became, case
          when not is_decided then processed_at when became = 'FAILED_PERMANENTLY' then now() end
        from (select decides and status <> 'PROCESSING' as is_decided, case effect
            when 'recurrence' then retry_count + 1 when 'voice' then retry_count else 0 end as retries, case
            when not decides then retry_after
            when capture.retry_after is not null
              then least(now() + interval '1 year', greatest(now(), capture.retry_after))
            when processed_at is null then retry_after
            when effect = 'recurrence' then greatest(retry_after, now())
            else now() end as due) as next
        cross join lateral (select case
          when not is_decided then status
          when capture.error_kind = 'permanent' or capture.max_retries <= retries
            or effect = 'recurrence' and due = 'infinity' then 'FAILED_PERMANENTLY'
          else 'PENDING' end as became) as state)
  where id = of;
end
$$;

-- Adds a capture to its event, which the caller has locked unless the capture proves nothing: such a capture
-- waits for the event only if it adds to it, and fails if the event is archived meanwhile. It is recorded
-- beside its event, once: the first 50 and the latest 50 of an event, fewer of those that prove nothing.
create function dlq_add_capture(
  of bigint, capture dlq_captured, bytes bytea, message jsonb, is_redelivered boolean, repeat_seconds float
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- Not a setting of the function: on Cloud SQL no login may make one.
  mode constant text := coalesce(current_setting('dlo.writes_complete_rows', true), '');
  has_proof constant boolean := is_redelivered or message is not null;
  judged record;
begin
  perform set_config('dlo.writes_complete_rows', 'on', true);
  select * into strict judged from public.dlq_judge_capture(
    of, capture, message is not null, is_redelivered, make_interval(secs => repeat_seconds));
  perform public.dlq_replace_content(event, capture, bytes, message, judged.completes)
  from public.dlq_events as event where id = of and judged.replaces;
  perform public.dlq_change_event(of, capture, judged.effect, judged.completes, judged.decides)
  from public.dlq_events where id = of and (judged.decides
    or trace_id is null and capture.trace_id is not null
    or source_attempts is null and capture.source_attempts is not null
    or case when coalesce(error_reason = capture.error_reason, true)
      then error_class is null and capture.error_class is not null
        or error_stacktrace is null and capture.error_stacktrace is not null
      else error_reason = 'not reported'
        or error_reason in (select error from public.dlq_attempts where event_id = of) end);

  insert into public.dlq_captures (event_id, failure, is_first, is_report, is_proven, delivery_id, attempt,
    publication, failed_at, consumer, facts, body)
  select of, coalesce(judged.failure, event.failure_count), judged.effect <> 'voice',
    coalesce(capture.origin = 'report', false), has_proof, case when has_proof then capture.delivery_id end,
    case when is_redelivered then least(capture.attempt, event.delivery_count) end,
    capture.publication, capture.failed_at, capture.consumer, told, own_body
  from public.dlq_events as event
  cross join (select case when message is not null and not judged.replaces then bytes end as own_body,
    jsonb_strip_nulls(to_jsonb(capture)) - '{message_key,consumer,redelivery,attempt,delivery_id,origin,
      publication,failed_at,body_start,body_length,content,printed_as,passing,fingerprint,crowd,
      id_hashes}'::text[] as told) as facts
  where event.id = of and (judged.effect <> 'voice' or has_proof and capture.delivery_id is not null
    or not exists (select from public.dlq_captures as one where one.event_id = of
      and (one.facts, one.body, one.publication) is not distinct from (told, own_body, capture.publication)))
  on conflict do nothing;
  delete from public.dlq_captures where id = (
      select id from public.dlq_captures
      where event_id = of and not is_original order by is_proven, id offset 50 limit 1)
    and 100 < (select count(*) from public.dlq_captures where event_id = of);
  perform set_config('dlo.writes_complete_rows', mode, true);
end
$$;
