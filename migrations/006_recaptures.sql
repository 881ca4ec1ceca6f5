-- Captures of a known message. Three questions, in this order: which message is it, which delivery of it
-- failed, and has that failure been told? docs/capture.md has the table of what follows.

-- The key of an event is that of its message, @ and its consumer, and # and a digest if the key was taken. An
-- event of this key and consumer may be that of a capture; of any consumer, if it names none. Bytewise, $
-- follows # and A follows @, which no id contains.
create function dlq_key_family(key text, consumer text) returns setof bigint language sql stable parallel safe
begin atomic
  select id from dlq_events where event_key in (key, key || '@' || consumer)
  union all (
    select id from dlq_events
    where event_key > coalesce(key || '@' || consumer || '#', key || '@')
      and event_key < coalesce(key || '@' || consumer || '$', key || 'A')
    order by event_key desc limit 100);
end;

-- All that was said of an event: by the event itself, which is its first capture, and by later ones. A report
-- without content names no consumer of an event that another capture completed.
create function dlq_list_voices(of bigint) returns table (
  id bigint, failure integer, told_at timestamptz, is_report boolean, is_proven boolean, delivery_id text,
  attempt integer, publication text, consumer text
) language sql stable parallel safe
begin atomic
  select null::bigint, 1, created_at, coalesce((
      select is_report from dlq_captures as original
      where original.event_id = of and is_original and facts ? 'payload' order by id limit 1
    ), is_exact is false), true, delivery_id, null::integer, publication,
    case when not exists (select from dlq_captures as first
        where first.event_id = of and first.is_first and not first.is_proven)
      then nullif(substring(event_key from '^[^@]*@(.*?)(?:#[0-9a-f]{32})?$'), '') end
  from dlq_events where id = of
  union all
  select id, failure, coalesce(failed_at, captured_at), is_report, is_proven, delivery_id, attempt,
    publication, consumer
  from dlq_captures where event_id = of and not is_original;
end;

-- What is not told is unknown, and contradicts nothing. Two messages are compared byte by byte, with their
-- own headers, a reprint and a message as JSON. Content that was replaced counts as the original's.
create function dlq_is_same_message(capture dlq_captured, bytes bytea, message jsonb, event dlq_events)
returns boolean language sql stable parallel safe
return coalesce(case
    when message is null or event.payload_encoding = 'none' and event.is_exact is not true then true
    when capture.origin is null and event.is_exact then dlq_equals_body(capture, bytes, message, event)
    else message = event.payload or exists (
      select from dlq_captures where event_id = event.id and is_original and facts -> 'payload' = message)
  end and (
    case when capture.origin is null then event.is_exact
      when capture.origin = 'report' then not event.is_exact end is not true
    or event.is_exact is not true and '{}' in (coalesce(capture.headers, '{}'), event.headers)
    or dlq_own_headers(capture.headers) is not distinct from dlq_own_headers(event.headers)
  ), false);

-- How the events that a capture may belong to fit it. Without any id, only a repetition is the same message:
-- nothing was delivered since, and it comes soon.
create function dlq_compare_events(
  family bigint[], redelivered bigint, capture dlq_captured, bytes bytea, message jsonb, repeat_seconds float
) returns table (
  id bigint, conflicts_with bigint, consumer text, fit integer, is_redelivered boolean, is_equal boolean,
  is_repetition boolean, is_same boolean
) language sql stable parallel safe
begin atomic
  select event.id, conflicts_with, told.consumer,
    case when told.consumer is not distinct from capture.consumer then 2
      else num_nulls(told.consumer, capture.consumer) end,
    coalesce(event.id = redelivered, false), is_equal,
    -- A signature may not cover the headers: others are anybody's.
    (is_equal or capture.delivery_id like 'signature:%')
      and (is_exact or payload_encoding <> 'none') is true and exists (
      select from dlq_list_voices(event.id) as voice where voice.delivery_id = capture.delivery_id),
    is_equal and (has_id or failed_delivery = delivery_count
      and last_failure_at > now() - make_interval(secs => repeat_seconds))
  from dlq_events as event
  cross join lateral (select capture.message_key !~ '^(sha256|sql):' as has_id) as identity
  cross join lateral (select dlq_is_same_message(capture, bytes, message, event) and (has_id
      or (event_type, source_topic, source_key)
      is not distinct from (capture.event_type, capture.source_topic, capture.source_key)) as is_equal
  ) as comparison
  left join lateral (
    select voice.consumer from dlq_list_voices(event.id) as voice
    where is_proven and voice.consumer is not null order by voice.id nulls first limit 1
  ) as told on true
  where event.id = any (family);
end;

-- Which message: the event of a redelivery by its token, the one that has this delivery already, else one
-- with the same key, a fitting consumer and the same content. A consumer that is not told, on either side,
-- fits if one event does. Returns one row: without an event, the one that the capture contradicts.
create function dlq_find_event(
  capture dlq_captured, bytes bytea, message jsonb, repeat_seconds float
) returns table (id bigint, is_redelivered boolean, is_repetition boolean, conflicts_with bigint)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  redelivered constant bigint := (
    select id from public.dlq_events where id = split_part(capture.redelivery, '.', 1)::bigint
      and public.dlq_redelivery(id, redelivery_token) = capture.redelivery);
  family constant bigint[] := array(
    select redelivered union select public.dlq_key_family(capture.message_key, null));
begin
  return query
  with known as (
    select * from public.dlq_compare_events(family, redelivered, capture, bytes, message, repeat_seconds)
  ),
  fitting as (
    select *, fit = 2 or min(consumer) over same is not distinct from max(consumer) over same as is_only
    from known where is_redelivered or fit > 0 and (is_repetition or is_same)
    window same as (partition by fit)
  )
  select chosen.id, chosen.is_redelivered, chosen.is_repetition,
    case when chosen.id is null then contradicted.id else chosen.conflicts_with end
  from (
    select case when not bool_or(is_equal) then min(id) end as id from known where fit > 0
  ) as contradicted
  left join (
    select * from fitting where is_redelivered or is_only
    order by is_redelivered desc, is_repetition desc, fit desc, id limit 1
  ) as chosen on true;
end
$$;

-- The failures of the application: whether each is one of this publication, for certain, or of another, when
-- it was told first, and when the broker gave this publication up last. A part of a publication that is not
-- told, on either side, decides nothing.
create function dlq_list_publications(of bigint, told text) returns table (
  failure integer, is_told boolean, is_other boolean, first_told_at timestamptz, gave_up_at timestamptz
) language sql stable parallel safe
begin atomic
  select failure, coalesce(bool_or(is_same), false), coalesce(bool_or(not is_same), false), min(told_at),
    max(told_at) filter (where is_same and not is_report)
  from dlq_list_voices(of)
  cross join lateral string_to_array(told, '@', '') as said
  cross join lateral string_to_array(publication, '@', '') as known
  cross join lateral (select case when said[1] <> known[1] or said[2] <> known[2] then false
    when said[1] = known[1] or said[2] = known[2] then true end as is_same) as comparison
  where attempt is null
  group by failure;
end;

-- Which delivery failed, and is it known? Ours are told by token and number, the application's by its
-- publication, an earlier one by a failure that is older than our latest delivery. The verdict is known,
-- recurrence (our latest delivery failed) or another (failure of the application); `failure` is the number of
-- a known one, null if it is taken for the latest.
create function dlq_judge_failure(
  of bigint, capture dlq_captured, is_redelivered boolean, repeat_seconds float,
  out verdict text, out failure integer
) language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  select case
      when is_redelivered and is_delivered_since
        and coalesce(capture.attempt, delivery_count) >= delivery_count then 'recurrence'
      when is_redelivered or is_older then 'known'
      -- Its broker gave it up before: it was rewound.
      when told is not null and capture.origin is distinct from 'report'
        and coalesce(capture.failed_at, now()) > gave_up_at + repeats then 'another'
      when told is not null or cause is not null then 'known'
      when is_other or published_at is not null then 'another'
      when is_delivered_since then 'recurrence'
      when last_failure_at > now() - repeats then 'known'
      else 'another'
    end, case when not (is_redelivered or is_older) then coalesce(told, cause) end
  into verdict, failure
  from (
    select delivery_count, last_failure_at, failed_delivery < delivery_count as is_delivered_since,
      coalesce(capture.failed_at < greatest(
        (select max(started_at) from public.dlq_attempts where event_id = of),
        case when status = 'PROCESSING' then updated_at end), false) as is_older,
      to_timestamp(nullif(split_part(capture.publication, '@', 1), '')::numeric / 1000) as published_at,
      make_interval(secs => repeat_seconds) as repeats
    from public.dlq_events where id = of
  ) as event
  cross join lateral (
    select min(known.failure) filter (where is_told) as told, max(gave_up_at) as gave_up_at,
      bool_and(is_other) as is_other,
      min(known.failure) filter (where first_told_at >= published_at and not (is_told or is_other)) as cause
    from public.dlq_list_publications(of, capture.publication) as known
  ) as publications;
end
$$;

-- Content of a capture, which replaces that of its event: what was there is kept as a capture. The first
-- content of an event `completes` it, with all that decides route, order, time and status; a message makes a
-- reprint or the copy of a bridge exact.
create function dlq_take_content(
  event dlq_events, capture dlq_captured, bytes bytea, message jsonb, completes boolean
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.dlq_captures
    (event_id, failure, captured_at, is_first, is_original, is_report, is_proven, consumer, facts, body)
  select event.id, 1, event.created_at, completes, not completes, event.is_exact is false, not completes,
    coalesce(event.source_subscription, event.consumer_group), jsonb_object_agg(key, value), event.body
  from jsonb_each(to_jsonb(event)) where value <> 'null'
    and key ~ '^(error|source|payload|printed|content|headers|event_(type|id)|trace|occurred|metadata)';
  update public.dlq_events
  set payload = message, payload_encoding = capture.payload_encoding,
      printed_as = case when capture.payload_encoding = 'json' then capture.printed_as end,
      body = case when capture.payload_encoding = 'json' and capture.printed_as is null then bytes end,
      is_exact = case when capture.origin is null then true when capture.origin = 'report' then false end,
      content_type = capture.content_type, headers = coalesce(capture.headers, '{}'), updated_at = now(),
      source_key = capture.source_key, source_key_bytes = decode(capture.source_key_bytes, 'base64'),
      metadata = case when completes then capture.metadata when jsonb_typeof(metadata) = 'object'
        then metadata - '{damaged,inexact}'::text[] else metadata end
  where id = event.id;
  update public.dlq_events
  set (event_type, source_kind, source_topic, source_partition, source_offset, source_subscription,
        consumer_group, occurred_at, publication, delivery_id) = (
        capture.event_type, capture.source_kind, capture.source_topic, capture.source_partition,
        capture.source_offset, capture.source_subscription, capture.consumer_group, capture.occurred_at,
        capture.publication, capture.delivery_id),
      event_id = coalesce(capture.event_id, event_id), fingerprint = null, max_retries = null,
      priority = coalesce(capture.priority, 0), retry_count = 0, retry_after = now(),
      failed_delivery = delivery_count
  where id = event.id and completes;
end
$$;

-- Reason, class, stack, trace and attempts: where the event has none, together if this failure `decides`. An
-- answer stands in for a reason until there is one. The fingerprint is of all facts of the failure: computed
-- with this capture, or by maintenance.
create function dlq_take_reason(inout event dlq_events, capture dlq_captured, decides boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  event.trace_id := coalesce(event.trace_id, capture.trace_id);
  event.source_attempts := coalesce(event.source_attempts, capture.source_attempts);
  if capture.error_reason is not null and (decides or event.error_reason = 'not reported'
      or event.error_reason in (select error from public.dlq_attempts where event_id = event.id)) then
    perform public.dlq_keep_reason(event) where event.error_reason <> capture.error_reason;
    event.error_reason := capture.error_reason;
    event.error_class := coalesce(capture.error_class, case when not decides then event.error_class end);
    event.error_stacktrace := coalesce(capture.error_stacktrace,
      case when not decides then event.error_stacktrace end);
    event.fingerprint := case when (event.event_type, event.source_subscription, event.consumer_group,
      event.error_class, event.error_stacktrace) is not distinct from (capture.event_type,
      capture.source_subscription, capture.consumer_group, capture.error_class, capture.error_stacktrace)
      then capture.fingerprint end;
  elsif coalesce(capture.error_reason = event.error_reason, true)
      and (event.error_class is null and capture.error_class is not null
      or event.error_stacktrace is null and capture.error_stacktrace is not null) then
    event.error_class := coalesce(event.error_class, capture.error_class);
    event.error_stacktrace := coalesce(event.error_stacktrace, capture.error_stacktrace);
    event.fingerprint := null;
  end if;
end
$$;

-- A failure that decides: status, time, and how its consumer wants to retry. A recurrence is a retry that
-- failed, told later, and keeps its time; another failure begins the retries anew. A worker that delivers the
-- event keeps it. A consumer that says the same priority again does not overrule an operator.
create function dlq_take_decision(
  inout event dlq_events, capture dlq_captured, verdict text, max_recurrences integer
) language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if verdict <> 'known' then
    event.failure_count := event.failure_count + 1;
    event.failed_delivery := event.delivery_count;
    event.retry_count := case verdict when 'recurrence' then event.retry_count + 1 else 0 end;
    -- Not now() alone: a transaction that began before the other committed has an earlier now().
    event.last_failure_at := greatest(event.last_failure_at, now());
  end if;
  event.updated_at := now();
  event.failure_kind := capture.error_kind;
  event.max_retries := coalesce(capture.max_retries, event.max_retries);
  if capture.priority::text is distinct from event.metadata #>> '{decided,priority}' then
    event.priority := coalesce(capture.priority, event.priority);
  end if;
  if capture.metadata ? 'decided' and coalesce(jsonb_typeof(event.metadata), 'object') = 'object' then
    event.metadata := coalesce(event.metadata, '{}')
      || jsonb_build_object('decided', capture.metadata -> 'decided');
  end if;
  event.retry_after := coalesce(public.dlq_retry_time(capture.retry_after), case
    when event.processed_at is null then event.retry_after
    when verdict = 'recurrence' then greatest(event.retry_after, now())
    else now() end);
  if event.status <> 'PROCESSING' then
    event.status := case when capture.error_kind = 'permanent' or capture.max_retries <= event.retry_count
      or verdict = 'recurrence' and event.failure_count > max_recurrences
      then 'FAILED_PERMANENTLY' else 'PENDING' end;
    event.processed_at := case when event.status = 'FAILED_PERMANENTLY' then now() end;
  end if;
end
$$;

-- What the event knows of its failures, changed at once: a failure counts in the error group of its reason. A
-- capture that proves nothing waits for the event only if it adds to it.
create function dlq_change_failure(
  of bigint, capture dlq_captured, verdict text, decides boolean, max_recurrences integer
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  event public.dlq_events;
begin
  select * into event from public.dlq_events where id = of;
  if not decides and public.dlq_take_reason(event, capture, decides) is not distinct from event then
    return;
  end if;
  select * into event from public.dlq_events where id = of for no key update;
  event := public.dlq_take_reason(event, capture, decides);
  if decides then
    event := public.dlq_take_decision(event, capture, verdict, max_recurrences);
  end if;
  update public.dlq_events set (
    error_reason, error_class, error_stacktrace, trace_id, source_attempts, fingerprint, failure_count,
    last_failure_at, retry_count, failed_delivery, failure_kind, max_retries, priority, retry_after, metadata,
    status, processed_at, updated_at
  ) = (
    event.error_reason, event.error_class, event.error_stacktrace, event.trace_id, event.source_attempts,
    event.fingerprint, event.failure_count, event.last_failure_at, event.retry_count, event.failed_delivery,
    event.failure_kind, event.max_retries, event.priority, event.retry_after, event.metadata, event.status,
    event.processed_at, event.updated_at
  ) where id = of;
end
$$;

-- Records a capture beside its event, once, and keeps the first 50 and the latest 50 of an event, fewer of
-- those that prove nothing.
create function dlq_record_capture(
  of bigint, capture dlq_captured, bytes bytea, message jsonb, verdict text, known integer,
  is_redelivered boolean
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.dlq_captures (event_id, failure, is_first, is_report, is_proven, delivery_id, attempt,
    publication, failed_at, consumer, facts, body)
  select of, coalesce(known, failure_count), verdict <> 'known', coalesce(capture.origin = 'report', false),
    is_proven, case when is_proven then capture.delivery_id end,
    case when is_redelivered then least(capture.attempt, delivery_count) end,
    capture.publication, capture.failed_at, capture.consumer, said, own_body
  from public.dlq_events as event
  cross join lateral (select is_redelivered or message is not null as is_proven,
    case when message is not null and not public.dlq_equals_body(capture, bytes, message, event)
      then bytes end as own_body,
    jsonb_strip_nulls(to_jsonb(capture)) - '{message_key,consumer,redelivery,attempt,delivery_id,origin,
      publication,failed_at,body_start,body_length,content,printed_as,fingerprint}'::text[] as said) as facts
  where id = of and (verdict <> 'known' or is_proven and capture.delivery_id is not null or not exists (
    select from public.dlq_captures as other
    where other.event_id = of and other.facts = said and other.body is not distinct from own_body
      and other.publication is not distinct from capture.publication))
  on conflict do nothing;

  delete from public.dlq_captures where id = (
      select id from public.dlq_captures
      where event_id = of and not is_original order by is_proven, id offset 50 limit 1)
    and 100 < (select count(*) from public.dlq_captures where event_id = of);
end
$$;

-- Adds a capture to its event, which the caller has locked unless the capture proves nothing. An event that
-- waits takes the decision of its first report.
create function dlq_add_capture(
  of bigint, capture dlq_captured, bytes bytea, message jsonb, is_redelivered boolean,
  max_recurrences integer, repeat_seconds float
) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- Not a setting of the function: on Cloud SQL no login may make one.
  mode constant text := coalesce(current_setting('dlo.writes_complete_rows', true), '');
  event public.dlq_events;
  is_delivered_since boolean;
  verdict text := 'known';
  failure integer;
  completes boolean;
  decides boolean;
begin
  perform set_config('dlo.writes_complete_rows', 'on', true);
  select * into event from public.dlq_events where id = of;
  is_delivered_since := event.failed_delivery < event.delivery_count;
  completes := message is not null and event.payload_encoding = 'none' and event.is_exact is not true;
  if is_redelivered or message is not null and (is_delivered_since or not completes) then
    select judged.* into verdict, failure
    from public.dlq_judge_failure(of, capture, is_redelivered, repeat_seconds) as judged;
  end if;
  decides := completes or verdict <> 'known' or message is not null and event.status = 'PENDING'
    and not is_delivered_since and capture.origin is not distinct from 'report'
    and not exists (select from public.dlq_list_voices(of) where is_report and is_proven);
  if completes or capture.origin is null and not is_redelivered and event.is_exact is not true
      and not exists (
        select from public.dlq_captures where event_id = of and is_original and facts ? 'payload') then
    perform public.dlq_take_content(event, capture, bytes, message, completes);
  end if;
  perform public.dlq_change_failure(of, capture, verdict, decides, max_recurrences);
  perform public.dlq_record_capture(of, capture, bytes, message, verdict, failure, is_redelivered);
  perform set_config('dlo.writes_complete_rows', mode, true);
end
$$;
