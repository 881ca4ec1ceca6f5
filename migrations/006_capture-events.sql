-- One function stores the batches of the capture function and the failures that applications report in
-- SQL. It runs as the owner: a caller inserts and completes events by the rules of 004 and 005 alone.

-- Inserts captures whose key is new, under `own_key`, or the first capture of each key if its message is not
-- known. Returns the id that the event of each capture has or would have, and of one that was not stored the
-- key, of a redelivery that of its event, and the message as its payload, null if it has none. An index entry
-- has up to 2,700 bytes: a longer key is a digest; the trigger shortens other names of a row without hashes.
create function dlq_insert_events(captures json, bodies bytea, own_key text, rival bigint)
returns table (place integer, id bigint, key text, message jsonb)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with received as materialized (
    select said.*, coalesce(error_reason, 'not reported') as reason, ordinality::int as place,
      case when length(message_key) <= 600 then message_key
        else left(message_key, 200) || '~' || md5(message_key) end as key,
      nextval('public.dlq_events_id_seq') as new_id, (select split_part(event_key, '@', 1)
        from public.dlq_events where id = split_part(redelivery, '.', 1)::bigint
          and redelivery_token = split_part(redelivery, '.', 2)::uuid) as redelivered
    from json_populate_recordset(null::public.dlq_captured, captures) with ordinality as said
  ),
  -- Not materialized: a payload is read where it is stored or returned.
  read as not materialized (
    select received.*, bytes, coalesce(case payload_encoding
        when 'text' then to_jsonb(coalesce(content, convert_from(bytes, 'UTF8')))
        when 'base64' then to_jsonb(translate(encode(bytes, 'base64'), E'\n', ''))
        when 'json' then coalesce(content, convert_from(bytes, 'UTF8'))::jsonb
      end, 'null') as payload
    from received
    cross join lateral (select substring(bodies from body_start for body_length) as bytes) as message
  ),
  inserted as (
    insert into public.dlq_events (id, event_key, conflicts_with, arrival, event_type,
      event_id, payload, payload_encoding, body, printed_as, is_exact, content_type, headers, error_reason,
      error_stacktrace, error_class, source_kind, source_topic, source_partition, source_offset, source_key,
      source_key_bytes, source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata,
      fingerprint, status, failure_kind, retry_after, max_retries, priority, id_hashes)
    select new_id, coalesce(own_key, key), rival,
      nullif(jsonb_strip_nulls(jsonb_build_object('delivery_id', delivery_id, 'origin', origin,
        'publication', publication, 'consumer', consumer, 'failed_at', failed_at, 'passing', passing)), '{}'),
      event_type, event_id, payload, payload_encoding,
      case when printed_as is null and (payload_encoding = 'json' or content is not null) then bytes end,
      case when payload_encoding = 'json' then printed_as end,
      case when origin is null then true when origin = 'report' then false end, content_type,
      coalesce(headers, '{}'), reason, error_stacktrace, error_class, source_kind,
      source_topic, source_partition, source_offset, source_key, decode(source_key_bytes, 'base64'),
      source_subscription, consumer_group, source_attempts, trace_id, occurred_at, metadata, case
        -- Read once, not for each capture.
        when crowd is null and not exists (select from public.dlq_error_groups where split_field is not null)
          then fingerprint
        else public.dlq_group_of(fingerprint, crowd, event_type,
          coalesce(source_subscription, consumer_group), error_class, reason, error_stacktrace) end,
      case when error_kind = 'permanent' or max_retries = 0 then 'FAILED_PERMANENTLY' else 'PENDING' end,
      -- Not before now, and within a year.
      error_kind, least(now() + interval '1 year', greatest(now(), retry_after)), max_retries,
      coalesce(priority, 0), case when length(concat(event_type, consumer_group, source_subscription)) <= 600
        and id_hashes is not null then array_to_string(array(
          select chr(((new_id >> 17 & 15) + 1)::int << 16 | hash) from unnest(id_hashes) as hash), '') end
    from read
    where own_key is not null or redelivered is null
      and not exists (select 1 from public.dlq_events where event_key = key union all
        select 1 from public.dlq_events where event_key > key || '@' and event_key < key || 'A')
    -- Sorted by key: two statements with the same events must lock in the same order.
    order by key, place on conflict do nothing
    returning dlq_events.id
  )
  select place, new_id, case when inserted.id is null then coalesce(redelivered, key) end, case
    when inserted.id is null and (origin, payload_encoding) is distinct from ('report', 'none')
    then payload end from read left join inserted on inserted.id = new_id;
end
$$;

-- Stores captures, and returns one row for each, in any order: its place, its event, whether that is new, and
-- the event that it conflicts with. One by one, in a batch, or with those of others, the result is the same.
--
-- As a rule all are new. The others are stored in the order of their keys: two statements lock the events
-- that they join alike. Each event is compared before it is locked, and again: only what it joins waits for
-- it. An event of its own has a key by its digest: whoever stores it at the same time finds it there. An id
-- chosen by hand is skipped. One plan for any batch and table: planning takes longer, and a plan for an empty
-- table would stay. The captures are parsed again for those that are not new: once for all of them.
create function dlq_capture_events(captures json, bodies bytea, repeat_seconds float)
returns table (place integer, id bigint, is_new boolean, conflicts_with bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  stored record;
  locked bigint[] := '{}';
  found public.dlq_found;
  own_key text;
begin
  for stored in
    select *, case when key is not null
      then (array(select json_populate_recordset(null::public.dlq_captured, captures)))[place] end as said
    from public.dlq_insert_events(captures, bodies, null, null) order by key, place loop
    place := stored.place;
    id := stored.id;
    is_new := stored.key is null;
    conflicts_with := null;
    own_key := null;
    while not is_new loop
      select * into found from public.dlq_find_event(
        stored.said, stored.message, stored.key, own_key, bodies, repeat_seconds);
      id := coalesce(found.id, stored.id);
      conflicts_with := found.conflicts_with;
      if found.id is null then
        own_key := stored.key || case
          when not exists (select from public.dlq_events where event_key = stored.key) then ''
          when own_key <> '' then '@' || md5(id::text)
          else '@' || md5(concat((stored.said).consumer, stored.message,
            (stored.said).headers - coalesce((stored.said).passing, '{}'))) end;
        select each.id, key is null into id, is_new from public.dlq_insert_events(
          json_build_array(to_jsonb(stored.said)), bodies, own_key, conflicts_with) as each;
      else
        exit when found.is_repetition or id = any (locked);
        exit when stored.message is null and not found.is_redelivered;
        perform from public.dlq_events as event where event.id = found.id for no key update;
        locked := locked || id;
      end if;
    end loop;
    perform public.dlq_add_capture(id, stored.said, found.bytes, stored.message, found.is_redelivered,
      repeat_seconds) where not is_new and not found.is_repetition;
    return next;
  end loop;
end
$$;
