-- Which message is a capture of? docs/capture.md has the table of what follows.

create type dlq_found as (
  id bigint, is_redelivered boolean, is_repetition boolean, conflicts_with bigint, bytes bytea);

-- The event of a redelivery by its token, the one that has this delivery already, else one with the same key,
-- a fitting consumer and the same content. A consumer that is not given, on either side, fits if one event
-- does. Returns one row: without an event, the one that the capture contradicts; and the bytes of the message
-- unless the event has the same. `message` is null if the capture has none.
--
-- The first event of a message has its key, so that two captures at one moment meet there. Events of other
-- consumers, and of other contents, have @ and a digest behind it, `own_key`: among more than a hundred, only
-- that one is found. Bytewise, A follows @, which no id contains.
--
-- A fact that is not given is unknown, and contradicts nothing. Two messages are compared byte by byte,
-- with their own headers and their media types (UTF-8 is the charset of one that names none), a reprint
-- and a message as JSON. Equal bytes are stored alike: of the values of messages that are printed, no two
-- that differ in their digits are equal. JSON by plain SQL has no bytes. Replaced content counts as the
-- original's. Without any id, only a repetition is the same message: soon, with no delivery between. A
-- report of no publication is of the latest edit that fits.
create function dlq_find_event(
  capture dlq_captured, message jsonb, message_key text, own_key text, bodies bytea, repeat_seconds float
) returns setof dlq_found
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  redelivered constant bigint := (
    select id from public.dlq_events where id = split_part(capture.redelivery, '.', 1)::bigint
      and redelivery_token = split_part(capture.redelivery, '.', 2)::uuid);
  has_id constant boolean := capture.message_key not like 'sha256:%';
  received constant bytea := coalesce(substring(bodies from capture.body_start for capture.body_length),
    convert_to(capture.content, 'UTF8'));
  own_headers constant jsonb[] := array(select jsonb_build_array(lower(key), value)
    from jsonb_each(capture.headers - coalesce(capture.passing, '{}')) order by 1);
begin
  return query
  with known as (
    select event.id, conflicts_with, said.consumer, coalesce(event.id = redelivered, false) as is_redelivered,
      edited_from, has_bytes, is_equal, case when said.consumer = capture.consumer then 2
        else num_nulls(said.consumer, capture.consumer) end as fit,
      -- A signature may not cover the headers: any caller may set others.
      (is_equal or capture.delivery_id like 'signature:%')
        and (is_exact or payload_encoding <> 'none') is true and exists (select from public.dlq_all_captures
          where event_id = event.id and delivery_id = capture.delivery_id offset 0) as is_repetition,
      is_equal and (has_id or failed_delivery = delivery_count
        and abs(extract(epoch from now() - last_failure_at)) < repeat_seconds) as is_same
    from public.dlq_events as event
    cross join lateral coalesce(body = received or body is null
      and (capture.origin = 'report' or payload_encoding <> 'json' or printed_as is not null)
      and (capture.payload_encoding, capture.printed_as, message)
        is not distinct from (payload_encoding, printed_as, payload), false) as has_bytes
    cross join lateral (select coalesce(case
        when message is null or payload_encoding = 'none' and is_exact is not true then true
        when capture.origin is null and is_exact then has_bytes and coalesce(
          regexp_replace(lower(content_type), '[[:space:]]*;[[:space:]]*charset="?utf-8"?', '') =
          regexp_replace(lower(capture.content_type), '[[:space:]]*;[[:space:]]*charset="?utf-8"?', ''), true)
        else message = payload or exists (select from public.dlq_captures
          -- By the offsets, captures are looked up for each event, not all read, and it is compared once.
          where event_id = event.id and is_original and facts -> 'payload' = message offset 0)
      end and (case when capture.origin is null then is_exact
          when capture.origin = 'report' then not is_exact end is not true
        or is_exact is not true and '{}' in (coalesce(capture.headers, '{}'), headers)
        or own_headers is not distinct from array(select jsonb_build_array(lower(key), value)
          from jsonb_each(headers - array(select jsonb_array_elements_text(arrival -> 'passing'))) order by 1)
      ), false) and (has_id or (left(event_type, 200), source_topic, source_key)
        is not distinct from (left(capture.event_type, 200), capture.source_topic, capture.source_key))
        as is_equal offset 0) as comparison
    left join lateral (select voice.consumer from public.dlq_all_captures as voice
      where event_id = event.id and is_proven and voice.consumer is not null order by voice.id nulls first
      limit 1) as said on true
    where event.id = any (array(
      select redelivered union select id from public.dlq_events where event_key in (message_key, own_key)
      union (select id from public.dlq_events where event_key > message_key || '@'
        and event_key < message_key || 'A' order by event_key limit 100)))
  ),
  fitting as (
    select *, min(consumer) over same is not distinct from max(consumer) over same as is_only
    from known where is_redelivered or fit > 0 and (is_repetition or is_same)
    window same as (partition by fit)
  )
  select chosen.id, chosen.is_redelivered, chosen.is_repetition,
    case when chosen.id is null then first.id else chosen.conflicts_with end,
    case when chosen.has_bytes then null else received end
  from (select case when not bool_or(is_equal) then min(id) end as id from known where fit > 0) as first
  left join (
    select * from fitting where is_redelivered or is_only
    order by is_redelivered desc, is_repetition desc, fit desc, coalesce(edited_from, id),
      id * case when capture.origin = 'report' and capture.publication is null then -1 else 1 end limit 1
  ) as chosen on true;
end
$$;
