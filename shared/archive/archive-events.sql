-- Moves up to :limit closed events to the archive: those that were closed, and if they were restored before,
-- restored, before :closedBefore and last captured before :capturedBefore, so that their source cannot send
-- them again. Copy and deletion are one transaction: an event is always in exactly one of the tables. Locked
-- rows are skipped until the next call, so that neither side waits for the other.
--
-- Reads the index of last failures from :after on: the cost of a batch does not grow with the number of older
-- events. Returns the position from which the next batch continues, included, as other events may have failed
-- at the same time; no row if there was nothing to move.
with moving as materialized (
  select id, last_failure_at
  from dlq_events
  where last_failure_at >= :after::timestamptz
    and last_failure_at < :capturedBefore
    -- created_at may have been set by hand, to a time in the future.
    and least(created_at, processed_at) < :capturedBefore
    and greatest(processed_at, restored_at) < :closedBefore
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
select max(last_failure_at)::text as failed_at, count(*)::int as events from moving having count(*) > 0;
