-- The order of keys, and why an event is not sent now.

-- The event that goes first among those of a key at a consumer; null if it is the event own_id, or without a
-- key. It is open or failed permanently: no other one of that key goes before it. Within a partition the
-- lowest offset is first; of the first ones of several partitions, the one that was captured first: an edit
-- has the place of the captured event. An event that names no consumer may be that of any. A closed event,
-- which is replayed, waits only for those before it. Takes no row: a function is given the bytes of all
-- values that a row has out of line. A generic plan: for a null own_id each call would be planned again.
create function dlq_blocked_by(key bigint, consumer text, own_id bigint) returns bigint
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  whose constant text := coalesce(consumer, '');
  first bigint;
begin
  first := case when key is not null then (
    with recursive heads as (
      -- Before the first one: the least consumer and partition.
      select '' as of_consumer, (-2147483648)::integer as partition, null::bigint as place, null::bigint as id
      union all
      select following.*
      from heads
      cross join lateral (
        select coalesce(consumer_group, source_subscription, ''), coalesce(source_partition, -1),
          coalesce(edited_from, id), id
        from public.dlq_events
        where is_blocking and order_key = key
          and (coalesce(consumer_group, source_subscription, ''), coalesce(source_partition, -1))
            > (of_consumer, partition)
        order by order_key, 1, 2,
          coalesce(case when source_partition is not null then source_offset end, edited_from, id), id
        limit 1
      ) as following
    )
    select id from heads where of_consumer in ('', whose) or whose = ''
    order by place, id
    limit 1
  ) end;
  return case when first <> own_id is not false and not exists (
    select from public.dlq_events as own join public.dlq_events as head on head.id = first
    where own.id = own_id and not own.is_blocking and case
      when own.source_partition = head.source_partition then own.source_offset < head.source_offset
      else coalesce(own.edited_from, own.id) < coalesce(head.edited_from, head.id) end
  ) then first end;
end
$$;

comment on function dlq_blocked_by is
  'The event of the same key that goes first, if its route is ordered; null if it is this one, or has no '
  'key.';

-- Why the schedule does not send an event now, apart from what holds its whole target; null if it does.
-- `rules` are those of its route: `maxAgeSeconds`, and as `permanentClass` a pattern of the error classes
-- that it fails at once. The word of the consumer comes before them; an event that an operator opened again
-- since is delivered. Without a subselect it becomes a part of its statement, which then reads only the
-- columns that it names.
create function dlq_why_not_now(event dlq_events, rules json) returns text language sql stable parallel safe
return case
  when event.status = 'PROCESSING' then 'leased'
  when event.status <> 'PENDING' then 'closed'
  when event.retry_after > now() then 'later'
  when greatest(event.created_at, event.reopened_at)
    < now() - make_interval(secs => (rules ->> 'maxAgeSeconds')::float) then 'expired'
  when (event.reopened_at is null or event.reopened_at < event.last_failure_at)
    and event.failure_kind is null and event.error_class ~ (rules ->> 'permanentClass') then 'permanent'
end;

comment on function dlq_why_not_now is
  'Why the schedule does not send an event now, apart from what holds its target; null if it does.';
