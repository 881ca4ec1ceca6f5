-- A page of a month of the archive, in order of id: each event with its attempts as one line of JSON. Stops
-- after the event with which the lines reach :maxBytes, or after :limit: the others are not composed. A line
-- comes in slices of 1 MiB, one row each: the client holds a slice several times until it is decoded. The
-- first one has the digest of the event: one that was restored and archived again has another.
with recursive page as (
  select :afterId::bigint as id, 0::bigint as digest, ''::bytea as line, 0::bigint as bytes, 0 as position
  union all
  select next.id, next.digest, next.line, page.bytes + octet_length(next.line), position + 1
  from page
  cross join lateral (
    select event.id, hash_record_extended((event.id, reopened_at, updated_at), 0) as digest, convert_to(
      jsonb_build_object('event', to_jsonb(event), 'attempts', attempts.list)::text || E'\n', 'UTF8') as line
    from dlq_events_archive as event
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(attempt) order by attempt.id), '[]') as list
      from dlq_attempts as attempt
      where attempt.event_id = event.id
    ) as attempts
    where event.created_at >= :month::date::timestamp at time zone 'UTC'
      and event.created_at < (:month::date + interval '1 month') at time zone 'UTC'
      and event.id > page.id
    order by event.id
    limit 1
  ) as next
  where page.bytes < :maxBytes::bigint and position < :limit::int
)
select id, case when slice = 0 then digest else 0 end as digest,
  substring(line from slice * 1048576 + 1 for 1048576) as line
from page
cross join lateral generate_series(0, (octet_length(line) - 1) / 1048576) as slice
where position > 0
order by position, slice;
