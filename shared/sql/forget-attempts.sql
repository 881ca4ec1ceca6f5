-- Deletes the attempts of a page of a month of the archive, before the month itself is dropped. Returns the last
-- event looked at, from which the next page goes on, while there was one.
with events as materialized (
  select id
  from dlq_events_archive
  where created_at >= :month::date::timestamp at time zone 'UTC'
    and created_at < (:month::date + interval '1 month') at time zone 'UTC'
    and id > :afterId
  order by id
  limit :limit
),
forgotten as (
  delete from dlq_attempts where event_id = any (array(select id from events))
)
select max(id) as id from events having max(id) is not null;
