-- The open event that was captured first: the first of each type, by one jump over the index each, and of
-- these the first. Open events have no processed_at, the predicate of the index dlq_events_age.
with recursive firsts as (
  (
    select id, event_type, created_at
    from dlq_events
    where processed_at is null
    order by event_type, created_at
    limit 1
  )
  union all
  select following.id, following.event_type, following.created_at
  from firsts
  cross join lateral (
    select id, event_type, created_at
    from dlq_events
    where processed_at is null and event_type > firsts.event_type
    order by event_type, created_at
    limit 1
  ) as following
)
select id, event_type, created_at from firsts order by created_at, id limit 1;
