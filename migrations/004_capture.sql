-- Capture: one function stores the batches of the capture function and the single failures that applications report in SQL.
-- It runs as the owner: whoever may call it inserts and completes events by the rules of 003, and can do nothing else.

-- Inserts captures whose key is new, under `own_key` as event `own_id`, or the first capture of each key if its message is not
-- known. Returns a row for each capture, with the id that its event has or would have, in the order of the request.
create function dlq_insert_events(captures json, bodies bytea, own_key text, own_id bigint, conflicts_with bigint)
returns table (place integer, id bigint, is_stored boolean)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  contradicted constant bigint := conflicts_with;
begin
  return query
  with received as materialized (
    select capture.*, ordinality::integer as place, coalesce(own_id, nextval('public.dlq_events_id_seq')) as new_id,
      coalesce(own_key, message_key || coalesce('@' || consumer, '')) as new_key
    from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as capture
  ),
  inserted as (
    insert into public.dlq_events (
      id, event_key, conflicts_with, delivery_id, publication, event_type, event_id, payload, payload_encoding, body, printed_as,
      is_exact,
      content_type, headers, error_reason, error_stacktrace, error_class, source_kind, source_topic, source_partition,
      source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id,
      occurred_at, metadata, fingerprint, status, processed_at, failure_kind, retry_after, max_retries, priority
    )
    select distinct on (message_key)
      new_id, new_key, contradicted, delivery_id, publication, event_type, event_id,
      public.dlq_payload(payload_encoding, bytes, content), payload_encoding,
      case when payload_encoding = 'json' and printed_as is null then bytes end,
      case when payload_encoding = 'json' then printed_as end, case when origin is null then true when origin = 'report' then false end,
      content_type, coalesce(headers, '{}'), coalesce(error_reason, 'not reported'), error_stacktrace, error_class, source_kind,
      source_topic, source_partition, source_offset, source_key, decode(source_key_bytes, 'base64'), source_subscription,
      consumer_group, source_attempts, trace_id, occurred_at, metadata, fingerprint,
      case when is_final then 'FAILED_PERMANENTLY' else 'PENDING' end, case when is_final then now() end, error_kind,
      coalesce(public.dlq_retry_time(retry_after), now()), max_retries, coalesce(priority, 0)
    from received
    cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
    cross join lateral (select coalesce(error_kind = 'permanent' or max_retries = 0, false) as is_final) as decision
    where own_key is not null or redelivery is null
      -- Neither without a consumer, nor with other content.
      and not exists (select from public.dlq_events as known where known.event_key = message_key and new_key <> message_key)
      and not exists (
        select from public.dlq_events as known
        where known.event_key > (case new_key when message_key then message_key || '@' else new_key || '#' end) collate "C"
          and known.event_key < (case new_key when message_key then message_key || 'A' else new_key || '$' end) collate "C")
    -- Sorted by key: two statements with the same events must lock in the same order.
    order by message_key, place
    on conflict do nothing
    returning dlq_events.id
  )
  select received.place, received.new_id, inserted.id is not null
  from received left join inserted on inserted.id = received.new_id;
end
$$;

comment on function dlq_insert_events is 'Inserts captures of new messages.';

-- Stores one capture of a message that is known, or was when the statement began: with its event, or as one of its own.
create function dlq_store_known(
  capture dlq_captured, bytes bytea, own_id bigint, locked bigint[], max_recurrences integer,
  repeat_seconds double precision, out id bigint, out is_new boolean, out conflicts_with bigint
) language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  payload constant jsonb := public.dlq_payload(capture.payload_encoding, bytes, capture.content);
  found_event record;
  suffix text := '';
begin
  loop
    select * into found_event from public.dlq_find_event(capture, bytes, payload, own_id, repeat_seconds);
    id := found_event.id;
    is_new := false;
    conflicts_with := found_event.conflicts_with;
    if id is null then
      capture.body_start := 1;
      select stored.id, stored.is_stored into id, is_new
      from public.dlq_insert_events(json_build_array(capture), bytes, found_event.own_key || suffix, own_id, conflicts_with) as stored;
      exit when is_new;
      -- Its key was taken at this moment, or by an event that several consumers could mean; or ids were chosen by hand, beyond
      -- those of the sequence.
      own_id := nextval('public.dlq_events_id_seq');
      suffix := '~' || own_id;
      perform setval('public.dlq_events_id_seq', greatest(own_id, (select max(known.id) from public.dlq_events as known)));
      continue;
    end if;
    conflicts_with := (select known.conflicts_with from public.dlq_events as known where known.id = found_event.id);
    exit when found_event.is_repetition or not found_event.is_proven or id = any (locked);
    -- Compared before it is locked, and again: only what it joins waits for it.
    perform from public.dlq_events as event where event.id = found_event.id for no key update;
    locked := locked || id;
  end loop;
  if not is_new and not found_event.is_repetition then
    perform public.dlq_add_capture(
      id, capture, bytes, payload, found_event.is_redelivered, max_recurrences, repeat_seconds);
  end if;
end
$$;

comment on function dlq_store_known is 'Stores a capture whose key is known.';

-- The captures of these places, by key and in the order of the request.
create function dlq_read_captures(captures json, bodies bytea, places integer[])
returns table (place integer, facts dlq_captured, bytes bytea, payload jsonb)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select ordinality::integer, capture, message, public.dlq_payload((capture).payload_encoding, message, (capture).content)
  from json_array_elements(captures) with ordinality as received (said)
  cross join lateral json_populate_record(null::public.dlq_captured, said) as capture
  cross join lateral (select coalesce(
    substring(bodies from (capture).body_start for (capture).body_length), convert_to((capture).content, 'UTF8'))) as body (message)
  where ordinality = any (places)
  order by said ->> 'message_key', ordinality;
end
$$;

-- Stores captures, and returns one row for each, in any order: its place, its event, whether that is new, and the event that it
-- conflicts with. One by one, in a batch, or with those of others, the result is the same.
create function dlq_capture_events(
  captures json, bodies bytea, max_recurrences integer, repeat_seconds double precision
) returns table (place integer, id bigint, is_new boolean, conflicts_with bigint)
language plpgsql volatile security definer
-- One plan for any batch and table: planning takes longer than the work, and a scan that suits an empty table would stay.
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids bigint[];
  known integer[];
  locked bigint[];
begin
  select array_agg(stored.id order by stored.place), array_agg(stored.place) filter (where not is_stored)
  into ids, known
  from public.dlq_insert_events(captures, bodies, null, null, null) as stored;

  return query
  select done.place::integer, done.id, true, null::bigint
  from unnest(ids) with ordinality as done (id, place)
  where known is null or done.place <> all (known);

  -- As a rule all are new. The events that the others join are locked in one order, before any of them changes.
  if known is null then
    return;
  end if;
  locked := array(
    select found.id
    from public.dlq_read_captures(captures, bodies, known) as received
    cross join public.dlq_find_event(received.facts, received.bytes, received.payload, 0, repeat_seconds) as found
    where found.is_proven and not found.is_repetition
  );
  perform from public.dlq_events as event where event.id = any (locked) order by event.id for no key update;
  return query
  select received.place, stored.id, stored.is_new, stored.conflicts_with
  from public.dlq_read_captures(captures, bodies, known) as received
  cross join public.dlq_store_known(
    received.facts, received.bytes, ids[received.place], locked, max_recurrences, repeat_seconds) as stored;
end
$$;

comment on function dlq_capture_events is 'Captures a batch of failures, given as JSON; the capture function calls it.';

-- How an application decided to retry, as facts of its capture. Unusable values are no error: metadata.ignored keeps them.
create function dlq_decision(
  error_kind text, retry_after timestamptz, max_retries integer, priority integer, metadata jsonb
) returns jsonb language sql stable parallel safe
return (
  select jsonb_build_object('error_kind', kind, 'retry_after', retry_time, 'max_retries', retries, 'priority', rank, 'metadata',
    case
      when num_nonnulls(decided, ignored) = 0 then metadata
      else coalesce(metadata, '{}') || jsonb_strip_nulls(jsonb_build_object(
        'decided', decided, 'ignored', coalesce(metadata -> 'ignored', '{}') || ignored))
    end)
  from (
    select
      case when error_kind in ('transient', 'permanent') then error_kind end as kind,
      case when isfinite(retry_after) and retry_after <= now() + interval '1 year' then to_json(retry_after) end as retry_time,
      case when max_retries >= 0 then max_retries end as retries,
      case when priority between -32768 and 32767 then priority end as rank
  ) as usable
  cross join lateral (
    select
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'kind', kind, 'retryAfter', retry_time, 'maxRetries', retries, 'priority', rank)), '{}') as decided,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'error_kind', case when kind is null then nullif(error_kind, '') end,
        'retry_after', case when retry_time is null then retry_after end,
        'max_retries', case when retries is null then max_retries end,
        'priority', case when rank is null then priority end)), '{}') as ignored
  ) as named
);

comment on function dlq_decision is 'How an application decided to retry, as facts of its capture.';

-- Captures a failure inside a transaction of the application, on the same database: the failure is stored if and only if
-- that transaction commits. Pass arguments by name; only event_type and payload are required. Returns the event's id. Runs as
-- the owner: a login needs the right to execute it and no other (role dlq_reporter).
--
--   select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout');
--
-- It is a report: of the message with this event_id, else of the record at this position in a Kafka topic, else of an event of
-- its own. dlo-event-id and dlo-attempt of a redelivery are read from the headers. Unusable values are kept in metadata.ignored.
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
  max_recurrences     integer default 10,
  error_kind          text default null,
  retry_after         timestamptz default null,
  max_retries         integer default null,
  priority            integer default null,
  failed_at           timestamptz default null
) returns bigint language sql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
  select stored.id
  from coalesce(nullif(event_id, ''), substring(headers ->> 'dlo-event-id' from '^(?!\d{1,18}\.[\da-f]{32}$).+$')) as own_id
  cross join lateral format('%s/%s/%s', source_topic, source_partition, source_offset) as coordinates
  cross join lateral (select source_topic <> '' and num_nulls(source_partition, source_offset) = 0 as has_position) as position
  cross join lateral (select case
    when own_id is not null then 'id:' || own_id when has_position then 'kafka:' || coordinates else 'sql:' || gen_random_uuid()
  end as key) as identity
  cross join lateral json_build_object(
    -- An @ separates the consumer from the key, and an index entry has at most 2,700 bytes.
    'message_key', replace(replace(case when length(key) > 600 then left(key, 200) || '~' || md5(key) else key end, '%', '%25'),
      '@', '%40'),
    'consumer', coalesce(source_subscription, consumer_group),
    'redelivery', substring(headers ->> 'dlo-event-id' from '^\d{1,18}\.[\da-f]{32}$'),
    'attempt', substring(headers ->> 'dlo-attempt' from '^\d{1,9}$'),
    'origin', 'report',
    'publication', case when has_position then '@' || replace(coordinates, '@', '%40') end,
    'failed_at', least(failed_at, now()),
    'event_type', coalesce(event_type, 'unknown'), 'event_id', own_id,
    'payload_encoding', case when num_nonnulls(payload, body) = 0 then 'none' else 'json' end,
    'content', payload::text, 'body_start', 1, 'body_length', length(body), 'content_type', content_type,
    'headers', case when jsonb_typeof(headers) = 'object' then headers end
  ) as message
  cross join lateral json_build_object(
    'error_reason', error_reason, 'error_stacktrace', error_stacktrace, 'error_class', error_class,
    'source_kind', coalesce(source_kind, 'sql'), 'source_topic', source_topic, 'source_partition', source_partition,
    'source_offset', source_offset, 'source_key', source_key, 'source_key_bytes', encode(source_key_bytes, 'base64'),
    'source_subscription', source_subscription, 'consumer_group', consumer_group,
    'source_attempts', case when source_attempts >= 0 then source_attempts end, 'trace_id', trace_id, 'occurred_at', occurred_at
  ) as failure
  cross join lateral public.dlq_capture_events(
    json_build_array(message::jsonb || failure::jsonb
      || public.dlq_decision(error_kind, retry_after, max_retries, priority, metadata)),
    coalesce(body, ''), max_recurrences, 600) as stored
$$;

comment on function dlq_capture is 'Captures one failure within the transaction of an application. Returns the id of its event.';
