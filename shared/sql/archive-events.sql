-- Moves up to :limit closed events to the archive: those that were closed before :closedBefore and captured last before
-- :capturedBefore, so that their source cannot bring them once more. The copy and the deletion are one
-- transaction: at no moment is an event in neither table, or in both. A row that somebody works on is left for next
-- time, so that nobody waits for the archive and the archive waits for nobody.
--
-- Returns the last place looked at, from which the next batch goes on, while there was something to move.
with moving as materialized (
  select id, created_at
  from dlq_events
  -- An event is captured no earlier than it was created: the index on created_at ends the search.
  where (created_at, id) > (:afterCreatedAt::timestamptz, :afterId::bigint)
    and created_at < :capturedBefore
    and last_failure_at < :capturedBefore
    and processed_at < :closedBefore
    and not is_open
  order by created_at, id
  limit :limit
  for update skip locked
),
moved as (
  delete from dlq_events where id = any (array(select id from moving)) returning *
),
archived as (
  insert into dlq_events_archive select * from moved
)
select created_at::text as "createdAt", id, (select count(*)::int from moving) as events
from moving
order by moving.created_at desc, id desc
limit 1;
