-- Captures of a known message. Three questions, in this order: which message is it, which delivery of it failed, and has that
-- failure been told? docs/capture.md has the table of what follows.

-- Which message: the event of a redelivery by its token, the one that has this delivery already, else one with the same key, a
-- fitting consumer and the same content. A consumer that is not told, on either side, fits if one event does. Two messages are
-- compared byte by byte, with their own headers, a reprint and a message as JSON. Returns one row: without an event `own_key`,
-- under which to store the capture as event `own_id`, and the event that it conflicts with.
create function dlq_find_event(
  capture dlq_captured, bytes bytea, received jsonb, own_id bigint, repeat_seconds double precision
) returns table (id bigint, is_redelivered boolean, is_repetition boolean, is_proven boolean, own_key text, conflicts_with bigint)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  key constant text := capture.message_key collate "C";
  teller constant text := capture.consumer;
  own constant text := key || coalesce('@' || teller, '') collate "C";
  -- Without any id, only a repetition is the same message: nothing was delivered since, and it comes soon.
  has_id constant boolean := key !~ '^(sha256|sql):';
  family bigint[] := array(
    select event.id from public.dlq_events as event where event.event_key = key
    union
    select redelivered.id from public.dlq_events as redelivered
    where redelivered.id = split_part(capture.redelivery, '.', 1)::bigint
      and capture.redelivery = public.dlq_redelivery(redelivered.id, redelivered.redelivery_token)
    union
    -- Bytewise, A follows @, which no id contains: all keys that begin with this one and @.
    (select event.id from public.dlq_events as event
      where event.event_key > key || '@' and event.event_key < key || 'A' order by event.event_key desc limit 100)
  );
begin
  return query
  with compared as (
    select
      event.id, consumer, coalesce(capture.redelivery = public.dlq_redelivery(event.id, event.redelivery_token), false) as is_redelivered,
      case when consumer is not distinct from teller then 2 when num_nulls(consumer, teller) = 1 then 1 else 0 end as fit,
      public.dlq_is_same_message(capture, bytes, received, event) and (has_id or (event_type, source_topic, source_key)
        is not distinct from (capture.event_type, capture.source_topic, capture.source_key)) as is_equal,
      event.failed_delivery = event.delivery_count and event.last_failure_at > now() - make_interval(secs => repeat_seconds) as is_soon,
      -- Not of an event whose content it tells first.
      (event.is_exact or event.payload_encoding <> 'none') is true and (capture.delivery_id = event.delivery_id or exists (
        select from public.dlq_captures as later where later.event_id = event.id and later.delivery_id = capture.delivery_id
      )) as is_known_delivery
    from public.dlq_events as event
    -- A report without content names no consumer of an event that another capture completed.
    cross join lateral (select coalesce(
      case when not exists (select from public.dlq_captures as first where first.event_id = event.id
          and first.is_first and not first.is_proven)
        then public.dlq_key_consumer(event.event_key) end,
      (select named.consumer from public.dlq_captures as named
        where named.event_id = event.id and named.is_proven and named.consumer is not null order by named.id limit 1)
    ) as consumer) as belonging
    where event.id = any (family)
  ),
  known as (
    -- Of a signed request other headers may not be covered by the signature, and are anybody's.
    select *, coalesce(is_known_delivery and (is_equal or capture.delivery_id like 'signature:%'), false) as is_repetition, is_equal and (has_id or is_soon) as is_same
    from compared
  ),
  fitting as (
    select *, fit = 2 or min(consumer) over same is not distinct from max(consumer) over same as is_only
    from known
    where is_redelivered or fit > 0 and (is_repetition or is_same)
    window same as (partition by fit)
  )
  select chosen.id, chosen.is_redelivered, chosen.is_repetition, chosen.is_redelivered or public.dlq_has_content(capture),
    case
      when not exists (select from public.dlq_events as event where event.event_key = own) then own
      when not has_id then key || '@' || coalesce(teller, '') || '#' || lpad(own_id::text, 19, '0')
      else key || '@' || coalesce(teller, '') || '#' || left(encode(sha256(convert_to(
        received::text || coalesce(public.dlq_own_headers(capture.headers)::text, ''), 'UTF8')), 'hex'), 24)
    end,
    case when not contradicted.has_equal then contradicted.id end
  from (select min(known.id) as id, bool_or(is_equal) as has_equal from known where fit > 0) as contradicted
  left join (
    select * from fitting where is_redelivered or is_only
    order by fitting.is_redelivered desc, fitting.is_repetition desc, fit desc, fitting.id limit 1
  ) as chosen on true;
end
$$;

comment on function dlq_find_event is 'Finds the event of a capture: the same message, by its key, consumer, content and own headers.';

-- An empty message is content, too.
create function dlq_has_content(capture dlq_captured) returns boolean
language sql immutable parallel safe
return (capture.origin = 'report' and capture.payload_encoding = 'none') is not true;

-- What is not told is unknown, and contradicts nothing. Content that plain SQL replaced counts as its original.
create function dlq_is_same_message(capture dlq_captured, bytes bytea, payload jsonb, event dlq_events) returns boolean
language sql stable parallel safe set search_path = pg_catalog, pg_temp
return coalesce((
  select case
      when not public.dlq_has_content(capture) then true
      when event.payload_encoding = 'none' and event.is_exact is not true then true
      when capture.origin is null and event.is_exact then public.dlq_equals_body(
        bytes, capture.printed_as, payload, event.body, event.printed_as, event.payload, event.payload_encoding)
      else payload = event.payload or exists (
        select from public.dlq_captures as original
        where original.event_id = event.id and is_original and payload = facts -> 'payload')
    end
    and (case when capture.origin is null then event.is_exact when capture.origin = 'report' then not event.is_exact end is not true
      or event.is_exact is not true and '{}' in (coalesce(capture.headers, '{}'), event.headers)
      or public.dlq_own_headers(capture.headers) is not distinct from public.dlq_own_headers(event.headers))
), false);

comment on function dlq_is_same_message is 'Whether a capture has the content and the own headers of an event.';

-- The failures of the application, each with whether it is one of this publication, for certain, or of another, when the broker
-- gave that up last, and when the failure was told first.
create function dlq_list_publications(of bigint, told text)
returns table (failure integer, is_told boolean, is_other boolean, gave_up_at timestamptz, told_at timestamptz)
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select failure, coalesce(bool_or(is_same), false), coalesce(bool_or(not is_same), false),
    max(voice_at) filter (where is_same and not is_report), min(voice_at)
  from (
    select 1 as failure, publication, created_at as voice_at, coalesce((
      select bool_or(is_report) from public.dlq_captures where event_id = of and is_original), is_exact is false) as is_report
    from public.dlq_events where id = of
    union all
    select failure, publication, coalesce(failed_at, captured_at), is_report
    from public.dlq_captures where event_id = of and attempt is null and not is_original
  ) as voices
  cross join lateral (select public.dlq_is_publication(told, publication) as is_same) as comparison
  group by failure
$$;

comment on function dlq_list_publications is 'The failures of an event at its application, compared with one publication.';

-- Which delivery failed, and is it known? Ours are told by token and number, the application's by its publication, an earlier one
-- by a failure that is older than our latest delivery. The verdict is known, recurrence (our latest delivery failed) or another
-- (failure of the application); `failure` is the number of a known one, null if it is taken for the latest.
create function dlq_judge_failure(
  of bigint, capture dlq_captured, is_redelivered boolean, repeat_seconds double precision,
  out verdict text, out failure integer
) language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  published_at constant timestamptz := to_timestamp(nullif(split_part(capture.publication, '@', 1), '')::numeric / 1000);
  repeats constant interval := make_interval(secs => repeat_seconds);
  event record;
  publications record;
begin
  select failed_delivery < delivery_count as is_delivered_since, delivery_count, last_failure_at,
    greatest((select max(started_at) from public.dlq_attempts where event_id = of),
      case when status = 'PROCESSING' then updated_at end) as delivered_at
  into event from public.dlq_events where id = of;

  verdict := case
    when is_redelivered and event.is_delivered_since
      and coalesce(capture.attempt, event.delivery_count) >= event.delivery_count then 'recurrence'
    when is_redelivered or capture.failed_at < event.delivered_at then 'known'
  end;
  if verdict is null and capture.publication is not null then
    select min(told.failure) filter (where is_told) as told, max(gave_up_at) as gave_up_at, bool_and(is_other) as is_other,
      min(told.failure) filter (where told_at >= published_at and not (is_told or is_other)) as cause
    into publications
    from public.dlq_list_publications(of, capture.publication) as told;
    failure := coalesce(publications.told, publications.cause);
    verdict := case
      -- Its broker gave it up before: it was rewound.
      when publications.told is not null and capture.origin is distinct from 'report'
        and coalesce(capture.failed_at, now()) > publications.gave_up_at + repeats then 'another'
      when failure is not null then 'known'
      when publications.is_other or published_at is not null then 'another'
    end;
  end if;
  verdict := coalesce(verdict, case
    when event.is_delivered_since then 'recurrence'
    when event.last_failure_at > now() - repeats then 'known'
    else 'another'
  end);
end
$$;

comment on function dlq_judge_failure is 'Whether a capture of a known event tells a failure that is known, a recurrence or another failure.';

-- Writes the content of a capture into an event, and keeps what was there as a capture. The first content of an event
-- `completes` it, with all that decides route, order, time and status; a message makes a reprint or the copy of a bridge exact.
create function dlq_write_content(of bigint, capture dlq_captured, bytes bytea, payload jsonb, completes boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  message constant jsonb := payload;
begin
  insert into public.dlq_captures (event_id, failure, captured_at, is_first, is_original, is_report, is_proven, consumer, facts, body)
  select id, 1, created_at, completes, not completes, is_exact is false, not completes,
    coalesce(event.source_subscription, event.consumer_group), said, event.body
  from public.dlq_events as event
  cross join lateral (
    select jsonb_object_agg(name, value) as said from jsonb_each(to_jsonb(event)) as fact (name, value)
    where value <> 'null' and (name ~ '^(error_|source_)' or name in ('payload', 'payload_encoding', 'printed_as', 'content_type',
      'headers', 'event_type', 'event_id', 'trace_id', 'occurred_at', 'metadata'))
  ) as facts
  where id = of;

  update public.dlq_events as event
  set payload = message, payload_encoding = capture.payload_encoding,
      printed_as = case when capture.payload_encoding = 'json' then capture.printed_as end,
      body = case when capture.payload_encoding = 'json' and capture.printed_as is null then bytes end,
      is_exact = case when capture.origin is null then true when capture.origin = 'report' then false end,
      content_type = capture.content_type, headers = coalesce(capture.headers, '{}'), source_key = capture.source_key,
      source_key_bytes = decode(capture.source_key_bytes, 'base64'), updated_at = now(),
      metadata = case when completes then capture.metadata when jsonb_typeof(event.metadata) = 'object'
        then event.metadata - array['damaged', 'inexact'] else event.metadata end
  where id = of;

  update public.dlq_events as event
  set event_type = capture.event_type, event_id = coalesce(capture.event_id, event.event_id), source_kind = capture.source_kind,
      source_topic = capture.source_topic, source_partition = capture.source_partition,
      source_offset = capture.source_offset, source_subscription = capture.source_subscription,
      consumer_group = capture.consumer_group, occurred_at = capture.occurred_at, publication = capture.publication,
      delivery_id = capture.delivery_id, fingerprint = null, priority = 0, max_retries = null, retry_count = 0,
      retry_after = now(), failed_delivery = delivery_count, processed_at = null,
      status = case when status = 'PROCESSING' then status else 'PENDING' end
  where id = of and completes;
end
$$;

-- Reason, class, stack, trace and attempts: where the event has none, together if this failure `decides`. An
-- answer stands in for a reason until there is one. A failure is counted together with its reason: it counts
-- in the error group of that.
create function dlq_add_reason(of bigint, capture dlq_captured, decides boolean, is_counted boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  takes constant boolean := capture.error_reason is not null and (decides or exists (
    select from public.dlq_events as event
    where id = of and (error_reason = 'not reported'
      or error_reason in (select error from public.dlq_attempts where event_id = of))));
begin
  if takes then
    perform public.dlq_keep_reason(event) from public.dlq_events as event
    where event.id = of and event.error_reason <> capture.error_reason;
  end if;
  update public.dlq_events as event
  set failure_count = failure_count + is_counted::integer,
      -- Not now() alone: a transaction that began before the other committed has an earlier now().
      last_failure_at = case when is_counted then greatest(last_failure_at, now()) else last_failure_at end,
      error_reason = case when takes then capture.error_reason else error_reason end,
      error_class = added.class, error_stacktrace = added.stacktrace,
      trace_id = coalesce(trace_id, capture.trace_id), source_attempts = coalesce(source_attempts, capture.source_attempts),
      -- Of all facts of the failure: computed with this capture, or by maintenance.
      fingerprint = case
        when not takes and (added.class, added.stacktrace) is not distinct from (error_class, error_stacktrace) then fingerprint
        when takes and event_type = capture.event_type and coalesce(event.source_subscription, event.consumer_group)
          is not distinct from coalesce(capture.source_subscription, capture.consumer_group) then capture.fingerprint
      end
  from (
    select
      case when takes then capture.error_class else coalesce(known.error_class, more.error_class) end as class,
      case when takes then capture.error_stacktrace else coalesce(known.error_stacktrace, more.error_stacktrace) end as stacktrace
    from public.dlq_events as known
    left join (select (capture).*) as more on coalesce(more.error_reason = known.error_reason, true)
    where known.id = of
  ) as added
  where id = of and (takes or is_counted or (added.class, added.stacktrace, coalesce(trace_id, capture.trace_id),
      coalesce(source_attempts, capture.source_attempts))
    is distinct from (error_class, error_stacktrace, trace_id, source_attempts));
end
$$;

-- A failure that decides: counts, status, time, and how its consumer wants to retry. A recurrence is a retry that failed, told
-- later, and keeps its time; another failure begins the retries anew. A worker that delivers the event keeps it.
create function dlq_open_event(of bigint, capture dlq_captured, verdict text, max_recurrences integer) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  is_counted constant boolean := verdict <> 'known';
begin
  update public.dlq_events as event
  set retry_count = next.retries,
      failed_delivery = case when is_counted then event.delivery_count else event.failed_delivery end,
      failure_kind = capture.error_kind,
      max_retries = coalesce(capture.max_retries, event.max_retries),
      -- A consumer that says the same priority again does not overrule an operator.
      priority = case when capture.priority::text = event.metadata #>> '{decided,priority}' then event.priority
        else coalesce(capture.priority, event.priority) end,
      retry_after = coalesce(public.dlq_retry_time(capture.retry_after), case
        when event.processed_at is null then event.retry_after
        when verdict = 'recurrence' then greatest(event.retry_after, now())
        else now() end),
      metadata = case when capture.metadata ? 'decided' and coalesce(jsonb_typeof(event.metadata), 'object') = 'object'
        then coalesce(event.metadata, '{}') || jsonb_build_object('decided', capture.metadata -> 'decided')
        else event.metadata end,
      status = next.status,
      processed_at = case when next.status = 'FAILED_PERMANENTLY' then now() end,
      updated_at = now()
  from (
    select retries, case
      when status = 'PROCESSING' then status
      when capture.error_kind = 'permanent' or capture.max_retries <= retries
        or verdict = 'recurrence' and failure_count > max_recurrences then 'FAILED_PERMANENTLY'
      else 'PENDING' end as status
    from public.dlq_events
    cross join lateral (
      select case verdict when 'recurrence' then retry_count + 1 when 'another' then 0 else retry_count end as retries
    ) as counted
    where id = of
  ) as next
  where event.id = of;
end
$$;

-- Records a capture beside its event, once, and keeps the first 50 and the latest 50 of an event, fewer of those that prove
-- nothing.
create function dlq_record_capture(
  of bigint, capture dlq_captured, bytes bytea, received jsonb, verdict text, known_failure integer, is_redelivered boolean
) returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  insert into public.dlq_captures (
    event_id, failure, is_first, is_report, is_proven, delivery_id, attempt, publication, failed_at, consumer, facts, body
  )
  select of, case when verdict = 'known' then coalesce(known_failure, failure_count) else failure_count end, verdict <> 'known',
    coalesce(capture.origin = 'report', false), is_proven, case when is_proven then capture.delivery_id end,
    case when is_redelivered then least(capture.attempt, delivery_count) end, capture.publication, capture.failed_at,
    capture.consumer, said, own_body
  from public.dlq_events as event
  cross join lateral (select is_redelivered or public.dlq_has_content(capture) as is_proven) as proof
  cross join lateral (
    select jsonb_strip_nulls(to_jsonb(capture)) - array['message_key', 'consumer', 'redelivery', 'attempt', 'delivery_id', 'origin', 'publication',
        'failed_at', 'body_start', 'body_length', 'content', 'printed_as', 'fingerprint'] as said,
      case when not public.dlq_equals_body(bytes, capture.printed_as, received, event.body, event.printed_as, event.payload,
        event.payload_encoding) then bytes end as own_body
  ) as facts
  where id = of and (verdict <> 'known' or is_proven and capture.delivery_id is not null or not exists (
    select from public.dlq_captures as other
    where other.event_id = of and other.facts = said and other.body is not distinct from own_body
      and other.publication is not distinct from capture.publication))
  on conflict do nothing;

  delete from public.dlq_captures
  where id = (select id from public.dlq_captures where event_id = of and not is_original order by is_proven, id offset 50 limit 1)
    and 100 < (select count(*) from public.dlq_captures where event_id = of);
end
$$;

-- Adds a capture to its event, which the caller has locked unless the capture proves nothing.
create function dlq_add_capture(
  of bigint, capture dlq_captured, bytes bytea, payload jsonb, is_redelivered boolean, max_recurrences integer,
  repeat_seconds double precision
) returns void language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  has_content constant boolean := public.dlq_has_content(capture);
  mode constant text := coalesce(current_setting('dlo.writes_complete_rows', true), '');
  event record;
  judged record;
  completes boolean;
  decides boolean;
begin
  select payload_encoding = 'none' and is_exact is not true as lacks_content, is_exact, failed_delivery < delivery_count as is_delivered_since,
    coalesce(bool_or(later.is_original and later.facts ? 'payload'), false) as is_changed,
    status = 'PENDING' and failed_delivery = delivery_count
      and coalesce(bool_or(later.is_report) filter (where later.is_original and later.facts ? 'payload'), is_exact is false) is not true
      and bool_or(later.is_report and later.is_proven) is not true as awaits_report
  into event
  from public.dlq_events left join public.dlq_captures as later on later.event_id = dlq_events.id
  where dlq_events.id = of group by dlq_events.id;
  completes := has_content and event.lacks_content;

  if is_redelivered or has_content and not (completes and not event.is_delivered_since) then
    select * into judged from public.dlq_judge_failure(of, capture, is_redelivered, repeat_seconds);
  else
    select 'known' as verdict, null::integer as failure into judged;
  end if;
  decides := completes or judged.verdict <> 'known' or has_content and capture.origin = 'report' and event.awaits_report;
  perform set_config('dlo.writes_complete_rows', 'on', true);
  if completes or capture.origin is null and not is_redelivered and event.is_exact is not true and not event.is_changed then
    perform public.dlq_write_content(of, capture, bytes, payload, completes);
  end if;
  perform public.dlq_add_reason(of, capture, decides, judged.verdict <> 'known');
  if decides then
    perform public.dlq_open_event(of, capture, judged.verdict, max_recurrences);
  end if;
  perform public.dlq_record_capture(of, capture, bytes, payload, judged.verdict, judged.failure, is_redelivered);
  perform set_config('dlo.writes_complete_rows', mode, true);
end
$$;

comment on function dlq_add_capture is 'Adds a capture to a known event.';
