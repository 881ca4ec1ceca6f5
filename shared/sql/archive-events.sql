-- Moves up to :limit closed events to the archive: those that were closed before :closedBefore and captured last before
-- :capturedBefore, so that their source cannot bring them once more. The copy and the deletion are one
-- transaction: at no moment is an event in neither table, or in both. A row that somebody works on is left for next
-- time, so that nobody waits for the archive and the archive waits for nobody.
--
-- Goes by the index of last failures, from :after on: a batch costs the same however many are behind it. Returns where
-- it came to, from which the next goes on, while there was something to move. Others may have failed at that very moment.
with moving as materialized (
  select id, last_failure_at
  from dlq_events
  where last_failure_at >= :after::timestamptz
    and last_failure_at < :capturedBefore
    and created_at < :capturedBefore
    and processed_at < :closedBefore
    and not is_open
  order by last_failure_at
  limit :limit
  for update skip locked
),
moved as (
  delete from dlq_events where id = any (array(select id from moving)) returning *
),
archived as (
  insert into dlq_events_archive select * from moved
)
select max(last_failure_at)::text as "failedAt", count(*)::int as events from moving having count(*) > 0;
