-- Capture: one function stores the batches of the capture function and the single failures that applications report in SQL.
-- It runs as the owner: whoever may call it inserts and completes events by its rules, and can do nothing else.

-- Stores captures, and returns one row for each, in any order: its place, its event, whether that is new, and what it contradicts.
--
-- A capture belongs to a known event if both have the same key, or one of them does not know its consumer, and if nothing
-- that both know differs: type, topic, content. A capture that contradicts the event of its key is an event of its own,
-- whose key ends in a digest and whose metadata names the first; the first is not changed. A capture with the id and token
-- of a redelivery belongs to that event, whatever its content.
--
-- Facts have ranks: content, headers and key follow content_rank, a stated type replaces a guess. Facts of a
-- capture that the event does not show are kept in metadata.otherCaptures, for up to 20 captures.
--
-- A capture is a repetition if it has a known delivery id, or a known key that names a delivery. A guessed delivery id counts
-- for repeat_seconds, and if the key is a digest of the content, only until the event is delivered. A broker's copy of an event that so far was only reported is the same failure. Any other capture is a
-- new failure: its reason becomes that of the event, and an event that was closed or is being delivered has recurred: the
-- failure is counted and the event open again, or after max_recurrences permanently failed. The consumer decides: an event
-- whose latest failure is of the kind `permanent`, or has no retry left, waits for an operator.
create function dlq_capture_events(
  captures json, bodies bytea, max_recurrences integer, repeat_seconds double precision
) returns table (place integer, id bigint, is_new boolean, conflicts_with bigint)
language plpgsql volatile security definer
-- One plan for any batch and table: planning takes longer than the work, and a scan that suits an empty table would stay.
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  sequence regclass := pg_get_serial_sequence('public.dlq_events', 'id');
  -- By place. All ids are taken in the first round: events get them in the order of the request, in whichever round they
  -- are stored.
  ids bigint[];
  keys text[];
  levels integer[];
  firsts bigint[];
  -- Places whose captures are not stored yet, null before the first round, and those of one round.
  pending integer[];
  places integer[];
  reserved bigint[];
  stored bigint[];
  resolved text[];
  same boolean[];
  next_levels integer[];
begin
  loop
    -- Insert the first capture of each key. Sorted by key: two statements with the same events must lock in the same order.
    with identified as materialized (
      select received.*, coalesce(ids[place], nextval(sequence)) as new_id, coalesce(
        keys[place],
        -- The event of a redelivery, if the token is its token.
        case when redelivery is not null then (
          select known.event_key
          from public.dlq_events as known
          where known.id = split_part(redelivery, '.', 1)::bigint
            and known.redelivery_token = split_part(redelivery, '.', 2)::uuid
        ) end,
        case
          when is_key_per_delivery or received.event_key ~ '^(sha256|sql):' then null
          -- The capture knows its consumer: the event with this consumer, else the one that knows none. The first is looked up only
          -- if the second exists: usually neither does.
          when consumer is not null then (
            select coalesce(
              (select own.event_key from public.dlq_events as own where own.event_key = received.event_key), known.event_key)
            from public.dlq_events as known
            where known.event_key = left(received.event_key, -1 - length(consumer))
          )
          -- It knows none: the event that knows none, else the only one that does.
          else (
            select case when count(*) = 1 then coalesce(
              (select own.event_key from public.dlq_events as own where own.event_key = received.event_key), min(known.event_key)) end
            from public.dlq_events as known
            -- Bytewise, A follows @: all keys that begin with this one and @.
            where known.event_key >= received.event_key || '@' and known.event_key < received.event_key || 'A'
              and known.event_key = received.event_key || '@'
                || public.dlq_key_consumer(known.event_key, known.source_subscription, known.consumer_group)
          )
        end,
        joins_key,
        received.event_key
      ) as known_key
      from (
        select capture.*, ordinality::integer as place,
          public.dlq_key_consumer(event_key, source_subscription, consumer_group) as consumer
        from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as capture
        where pending is null or ordinality = any (pending)
      ) as received
    ),
    inserted as (
      insert into public.dlq_events (
        id, event_key, delivery_id, event_type, is_type_told, event_id, payload, payload_encoding, body, printed_as, content_rank,
        content_type, headers, error_reason, error_stacktrace, error_class, source_kind, source_topic, source_partition,
        source_offset, source_key, source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id,
        occurred_at, metadata, fingerprint, status, processed_at, failure_kind, retry_after, max_retries, priority
      )
      select distinct on (known_key)
        new_id, known_key, delivery_id, event_type, coalesce(is_type_told, true), event_id,
        public.dlq_message_payload(payload_encoding, bytes, content), payload_encoding, case when printed_as is null then bytes end,
        nullif(printed_as, 'payload'), coalesce(content_rank, 4), content_type, coalesce(headers, '{}'),
        coalesce(error_reason, 'not reported'), error_stacktrace, error_class, source_kind, source_topic, source_partition, source_offset,
        source_key, decode(source_key_bytes, 'base64'), source_subscription, consumer_group, source_attempts, trace_id, occurred_at,
        case
          when firsts[place] is not null then coalesce(metadata, '{}') || jsonb_build_object('conflictsWith', firsts[place]::text)
          when joins_key = known_key then coalesce(metadata, '{}') || jsonb_build_object('keyConsumer', consumer)
          else metadata
        end,
        fingerprint, case when is_final then 'FAILED_PERMANENTLY' else 'PENDING' end, case when is_final then now() end,
        error_kind, coalesce(public.dlq_retry_time(retry_after), now()), max_retries, coalesce(priority, 0)
      from identified
      cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
      cross join lateral (select coalesce(error_kind = 'permanent' or max_retries = 0, false) as is_final) as decision
      order by known_key, place
      on conflict (event_key) do nothing
      returning id
    )
    select array_agg(place), array_agg(known_key), array_agg(new_id), array_agg(inserted.id)
    into places, resolved, reserved, stored
    from identified
    left join inserted on inserted.id = new_id;

    return query
    select done.place, done.id, true, firsts[done.place]
    from unnest(places, stored) as done (place, id)
    where done.id is not null;

    -- As a rule all are new.
    exit when array_position(stored, null) is null;
    pending := '{}';
    for i in 1 .. coalesce(cardinality(places), 0) loop
      if stored[i] is null then
        pending := pending || places[i];
        ids[places[i]] := reserved[i];
        keys[places[i]] := resolved[i];
      end if;
    end loop;

    -- The others have an event. Those that contradict it get a key of their own, and another round.
    select array_agg(known.place), array_agg(known.id), array_agg(known.is_same), array_agg(known.next_key),
      array_agg(known.next_level)
    into places, stored, same, resolved, next_levels
    from public.dlq_complete_events(captures, bodies, pending, keys, levels, max_recurrences, repeat_seconds) as known;

    return query
    select done.place, done.id, false, firsts[done.place]
    from unnest(places, stored, same) as done (place, id, is_same)
    where done.is_same;

    for i in 1 .. coalesce(cardinality(places), 0) loop
      if not same[i] then
        firsts[places[i]] := coalesce(firsts[places[i]], stored[i]);
        keys[places[i]] := resolved[i];
        levels[places[i]] := next_levels[i];
      end if;
    end loop;
    pending := array(
      select unnest(pending) except select place from unnest(places, same) as done (place, is_same) where is_same);
    exit when cardinality(pending) = 0;
  end loop;
end
$$;

comment on function dlq_capture_events is 'Captures a batch of failures, given as JSON; the capture function calls it.';

-- Captures a failure inside a transaction of the application, on the same database: the failure is stored if and only if
-- that transaction commits. Pass arguments by name; only event_type and payload are required. Returns the event's id. Runs as
-- the owner: a login needs the right to execute it and no other (role dlq_reporter).
--
--   select dlq_capture(event_type => 'order.created', payload => '{"orderId": 1}', error_reason => 'timeout');
--
-- Identity is that of a report: event_id, else the position in a Kafka topic; without either, each call is an event of its
-- own, unless its headers have the dlo-event-id of a redelivery. A call with equal arguments is a repetition: for ten minutes,
-- or forever if it names occurred_at; its retry_after does not count. Unusable values of the last four are in metadata.ignored.
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
  priority            integer default null
)
-- Times are compared as text: the time zone of the session must not matter.
returns bigint language sql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
  select id
  from coalesce(event_id, substring(headers ->> 'dlo-event-id' from '^(?!\d{1,18}\.[\da-f]{32}$).+$')) as own_id
  cross join lateral coalesce(body, convert_to(payload::text, 'UTF8')) as bytes
  cross join lateral json_build_object(
    'event_type', event_type,
    'is_type_told', event_type <> 'unknown',
    'event_id', own_id,
    'body_start', 1,
    'body_length', length(bytes),
    'payload_encoding', 'json',
    'printed_as', case when body is null then 'payload' end,
    'content', payload::text,
    'content_rank', case when body is null then 1 else 2 end,
    'content_type', content_type,
    'headers', headers,
    'error_reason', error_reason,
    'error_stacktrace', error_stacktrace, 'error_class', error_class,
    'source_kind', source_kind,
    'source_topic', source_topic,
    'source_partition', source_partition, 'source_offset', source_offset,
    'source_key', source_key,
    'source_key_bytes', encode(source_key_bytes, 'base64'),
    'source_subscription', source_subscription,
    'consumer_group', consumer_group,
    'source_attempts', source_attempts,
    'trace_id', trace_id,
    'metadata', metadata,
    'occurred_at', occurred_at,
    'decision', array[error_kind, max_retries::text, priority::text]
  ) as facts
  cross join lateral json_build_object(
    'event_key', case
        when own_id <> '' then 'id:' || own_id
        when source_topic <> '' and source_partition is not null and source_offset is not null
          then format('kafka:%s/%s/%s', source_topic, source_partition, source_offset)
        else 'sql:' || gen_random_uuid()
      end || coalesce('@' || coalesce(source_subscription, consumer_group), ''),
    'is_key_per_delivery', false,
    'redelivery', substring(headers ->> 'dlo-event-id' from '^\d{1,18}\.[\da-f]{32}$'),
    'delivery_id', 'request:' || translate(encode(substring(sha256(convert_to(facts::text, 'UTF8') || bytes) for 9), 'base64'), '+/', '-_'),
    'is_delivery_guessed', occurred_at is null
  ) as identity
  cross join lateral public.dlq_capture_events(
    json_build_array(facts::jsonb || identity::jsonb || public.dlq_decision(error_kind, retry_after, max_retries, priority, metadata)),
    bytes, max_recurrences, 600)
$$;

comment on function dlq_capture is 'Captures one failure within the transaction of an application. Returns the id of its event.';
