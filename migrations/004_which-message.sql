-- Captures of a known message. Three questions, in this order: which message is it, which delivery of it
-- failed, and is that failure known? docs/capture.md has the table of what follows.

-- The first event of a message has its key, so that two captures at one moment meet there. Events of other
-- consumers, and of other contents, have @ and a digest behind it. Bytewise, A follows @, which no id
-- contains.
create function dlq_key_family(key text) returns setof bigint language sql stable parallel safe
begin atomic
  select id from dlq_events where event_key = key
  union all (
    select id from dlq_events
    where event_key > key || '@' and event_key < key || 'A' order by event_key desc limit 100);
end;

-- All that was said of an event: by the event itself, which is its first capture, and by later ones.
create function dlq_list_voices(of bigint) returns table (
  id bigint, failure integer, told_at timestamptz, is_report boolean, is_proven boolean, delivery_id text,
  attempt integer, publication text, consumer text
) language sql stable parallel safe
begin atomic
  select null::bigint, 1, created_at, coalesce((
      select is_report from dlq_captures as original
      where original.event_id = of and is_original and facts ? 'payload' order by id limit 1
    ), is_exact is false), true, arrival ->> 'delivery_id', null::integer, arrival ->> 'publication',
    arrival ->> 'consumer'
  from dlq_events where id = of
  union all
  select id, failure, coalesce(failed_at, captured_at), is_report, is_proven, delivery_id, attempt,
    publication, consumer
  from dlq_captures where event_id = of and not is_original;
end;

-- A fact that is not given is unknown, and contradicts nothing. Two messages are compared byte by byte, with
-- their own headers, a reprint and a message as JSON. Content that was replaced counts as the original's.
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
    or dlq_own_headers(capture.headers, capture.source_kind)
      is not distinct from dlq_own_headers(event.headers, event.source_kind)
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
    -- A signature may not cover the headers: any caller may set others.
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
-- with the same key, a fitting consumer and the same content. A consumer that is not given, on either side,
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
    select redelivered union select public.dlq_key_family(capture.message_key));
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
