-- A page of a month of the archive, in order of id: each event with its attempts as one line of JSON.
select event.id, jsonb_build_object('event', to_jsonb(event), 'attempts', attempts.list)::text as line
from dlq_events_archive as event
cross join lateral (
  select coalesce(jsonb_agg(to_jsonb(attempt) order by attempt.id), '[]') as list
  from dlq_attempts as attempt
  where attempt.event_id = event.id
) as attempts
where event.created_at >= :month::date::timestamp at time zone 'UTC'
  and event.created_at < (:month::date + interval '1 month') at time zone 'UTC'
  and event.id > :afterId
order by event.id
limit :limit;
