-- What a capture of a known message changes: docs/capture.md has the table.

-- What the event knows of its failures, changed at once: a failure counts in the error group of its reason. A
-- capture that decides nothing is looked at twice, before and after it waits for the event: only if it adds to
-- it.
--
-- Reason, class, stack, trace and attempts: where the event has none, together if this failure `decides`. An
-- answer stands in for a reason until there is one. The fingerprint is of all facts of the failure: computed
-- with this capture, kept if an application reports the same again in SQL, or computed before groups are shown.
--
-- Status, time, and how its consumer wants to retry, if it decides. A recurrence is a retry that failed,
-- reported later, and keeps its time: after the last retry that is infinity; another failure begins the retries
-- anew. A worker that delivers the event keeps it. A consumer that says the same priority again does not
-- overrule an operator.
create function dlq_change_failure(
  of bigint, capture dlq_captured, verdict text, decides boolean
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  said public.dlq_events;
  event public.dlq_events;
begin
  for step in 1 .. 2 loop
    select * into said from public.dlq_events where id = of;
    event := said;
    event.trace_id := coalesce(event.trace_id, capture.trace_id);
    event.source_attempts := coalesce(event.source_attempts, capture.source_attempts);
    if capture.error_reason is not null and (decides or event.error_reason = 'not reported'
        or event.error_reason in (select error from public.dlq_attempts where event_id = of)) then
      event.error_reason := capture.error_reason;
      event.error_class := coalesce(capture.error_class, case when not decides then event.error_class end);
      event.error_stacktrace := coalesce(capture.error_stacktrace,
        case when not decides then event.error_stacktrace end);
      event.fingerprint := case
        when capture.fingerprint is null and (said.error_reason, said.error_class, said.error_stacktrace)
          is not distinct from (event.error_reason, event.error_class, event.error_stacktrace)
          then said.fingerprint
        when (event.error_class, event.error_stacktrace)
          is not distinct from (capture.error_class, capture.error_stacktrace)
          then public.dlq_group_of(capture.fingerprint, capture.crowd, event.event_type,
            coalesce(event.source_subscription, event.consumer_group), event.error_class, event.error_reason,
            event.error_stacktrace) end;
    elsif coalesce(capture.error_reason = event.error_reason, true)
        and (event.error_class is null and capture.error_class is not null
        or event.error_stacktrace is null and capture.error_stacktrace is not null) then
      event.error_class := coalesce(event.error_class, capture.error_class);
      event.error_stacktrace := coalesce(event.error_stacktrace, capture.error_stacktrace);
      event.fingerprint := null;
    end if;
    if not decides and event is not distinct from said then
      return;
    end if;
    perform from public.dlq_events where id = of for no key update;
  end loop;

  if decides then
    if verdict <> 'known' then
      event.failure_count := event.failure_count + 1;
      event.failed_delivery := event.delivery_count;
      event.retry_count := case verdict when 'recurrence' then event.retry_count + 1 else 0 end;
      event.cause := case verdict when 'recurrence' then event.cause end;
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
    event.retry_after := case
      when capture.retry_after is not null then least(now() + interval '1 year', greatest(now(), case
        when capture.retry_after ~ '^[\d.]+$' then now() + make_interval(secs => least(capture.retry_after::float, 31536000))
        else capture.retry_after::timestamptz end))
      when event.processed_at is null then event.retry_after
      when verdict = 'recurrence' then greatest(event.retry_after, now())
      else now() end;
    if event.status <> 'PROCESSING' then
      event.status := case when capture.error_kind = 'permanent' or capture.max_retries <= event.retry_count
        or verdict = 'recurrence' and event.retry_after = 'infinity'
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
    case (event.error_reason, event.trace_id) is distinct from (error_reason, trace_id) when false then id_hashes end
  ) where id = of;
end
$$;

-- Adds a capture to its event, which the caller has locked unless the capture proves nothing. An event that
-- waits takes the decision of its first report. Content replaces that of the event, which is kept as a capture:
-- the first content of an event `completes` it, with all that decides route, order, time and status; a message
-- makes a reprint or the copy of a bridge exact. The capture is recorded beside its event, once: the first 50
-- and the latest 50 of an event, fewer of those that prove nothing.
create function dlq_add_capture(
  of bigint, capture dlq_captured, bytes bytea, message jsonb, is_redelivered boolean,
  repeat_seconds float
) returns void language plpgsql set search_path = pg_catalog, pg_temp set bytea_output = 'hex' as $$
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
    and not exists (select from public.dlq_all_captures where event_id = of and is_report and is_proven);
  if completes or capture.origin is null and not is_redelivered and event.is_exact is not true
      and not exists (
        select from public.dlq_captures where event_id = of and is_original and facts ? 'payload') then
    insert into public.dlq_captures
      (event_id, failure, captured_at, is_first, is_original, is_report, is_proven, consumer, facts, body)
    select event.id, 1, event.created_at, completes, not completes, event.is_exact is false, not completes,
      event.arrival ->> 'consumer', jsonb_object_agg(key, value), event.body
    from jsonb_each(to_jsonb(event)) where value <> 'null'
      and key ~ '^(error|source|payload|printed|content|headers|event_(type|id)|trace|occurred|metadata)';
    update public.dlq_events
    set payload = message, id_hashes = null, payload_encoding = capture.payload_encoding,
        printed_as = case when capture.payload_encoding = 'json' then capture.printed_as end,
        body = case when capture.payload_encoding = 'json' and capture.printed_as is null then bytes end,
        is_exact = case when capture.origin is null then true when capture.origin = 'report' then false end,
        content_type = capture.content_type, headers = coalesce(capture.headers, '{}'), updated_at = now(),
        source_key = capture.source_key, source_key_bytes = decode(capture.source_key_bytes, 'base64'),
        arrival = jsonb_strip_nulls(coalesce(arrival, '{}') || jsonb_build_object('passing', capture.passing)),
        metadata = case when completes then capture.metadata when jsonb_typeof(metadata) = 'object'
          then metadata - '{damaged,inexact}'::text[] else metadata end
    where id = event.id;
    update public.dlq_events
    set (event_type, source_kind, source_topic, source_partition, source_offset, source_subscription,
          consumer_group, occurred_at, arrival) = (
          capture.event_type, capture.source_kind, capture.source_topic, capture.source_partition,
          capture.source_offset, capture.source_subscription, capture.consumer_group, capture.occurred_at,
          jsonb_strip_nulls(jsonb_build_object('delivery_id', capture.delivery_id,
            'publication', capture.publication, 'consumer', capture.consumer, 'passing', capture.passing))),
        event_id = coalesce(capture.event_id, event_id), fingerprint = null, max_retries = null,
        priority = coalesce(capture.priority, 0), retry_count = 0, cause = null,
        retry_after = now(), failed_delivery = delivery_count
    where id = event.id and completes;
  end if;
  perform public.dlq_change_failure(of, capture, verdict, decides);

  insert into public.dlq_captures (event_id, failure, is_first, is_report, is_proven, delivery_id, attempt,
    publication, failed_at, consumer, facts, body)
  select of, coalesce(failure, failure_count), verdict <> 'known', coalesce(capture.origin = 'report', false),
    is_proven, case when is_proven then capture.delivery_id end,
    case when is_redelivered then least(capture.attempt, delivery_count) end,
    capture.publication, capture.failed_at, capture.consumer, said, own_body
  from public.dlq_events as became
  cross join lateral (select is_redelivered or message is not null as is_proven,
    case when message is not null and (became.body = bytes or became.body is null
      and (capture.payload_encoding, capture.printed_as, message)
        is not distinct from (payload_encoding, became.printed_as, payload)) is not true then bytes end as own_body,
    jsonb_strip_nulls(to_jsonb(capture)) - '{message_key,consumer,redelivery,attempt,delivery_id,origin,
      publication,failed_at,body_start,body_length,content,printed_as,passing,fingerprint,crowd,id_hashes}'::text[] as said
    ) as facts
  where id = of and (verdict <> 'known' or is_proven and capture.delivery_id is not null or not exists (
    select from public.dlq_captures as other
    where other.event_id = of and other.facts = said and other.body is not distinct from own_body
      and other.publication is not distinct from capture.publication))
  on conflict do nothing;
  delete from public.dlq_captures where id = (
      select id from public.dlq_captures
      where event_id = of and not is_original order by is_proven, id offset 50 limit 1)
    and 100 < (select count(*) from public.dlq_captures where event_id = of);
  perform set_config('dlo.writes_complete_rows', mode, true);
end
$$;
