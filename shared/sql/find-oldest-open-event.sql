-- The open event that was captured first: the first of each type, one jump over the index for each, and of these the first.
-- What is open has no processed_at, which is how the index on their age says it.
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
