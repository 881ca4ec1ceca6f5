-- Moves up to :limit closed events to the archive: those that were delivered or discarded, and if they were
-- restored before, restored, more than :archiveAfterDays ago and last captured more than :sourceRetentionDays
-- ago, so that their source cannot send them again. A permanent failure that nobody decided moves only after
-- :archiveUndecidedAfterDays, unless that is 0, and if no open event of its key waits behind it. What an open
-- run has selected stays. Copy and deletion are one transaction: an event is always in exactly one of the
-- tables. Locked rows wait for the next call. A team may have dropped columns of its own, or added one: none
-- moves without it, and its JSON moves as text.
--
-- Reads the index of last failures from :after on: the cost of a batch does not grow with the number of older
-- events. Returns the position from which the next batch continues, included, as other events may have failed
-- at the same time; no row if there was nothing to move.
with moving as materialized (
  select id, last_failure_at
  from dlq_events as event
  where last_failure_at >= :after::timestamptz
    and last_failure_at < now() - make_interval(days => greatest(:sourceRetentionDays::int,
      least(:archiveAfterDays::int, nullif(:archiveUndecidedAfterDays::int, 0))))
    -- created_at may have been set by hand, to a time in the future.
    and least(created_at, processed_at) < now() - make_interval(days => :sourceRetentionDays::int)
    and greatest(processed_at, reopened_at) < now() - make_interval(days => case
      when is_blocking then nullif(:archiveUndecidedAfterDays::int, 0) else :archiveAfterDays::int end)
    and not is_open
    and not exists (
      select attname from pg_attribute where attrelid = 'dlq_events'::regclass and not attisdropped
      except select attname from pg_attribute where attrelid = 'dlq_events_archive'::regclass
    )
    and not (is_blocking and exists (
      select from dlq_events as behind
      where behind.order_key = event.order_key and behind.is_blocking and behind.is_open
    ))
    and not exists (
      select from dlq_runs as run
      join dlq_run_events as own on run_id = run.id
      where run.ended_at is null and own.event_id = event.id
    )
  order by last_failure_at
  limit :limit
  for update skip locked
),
moved as (
  delete from dlq_events where id = any (array(select id from moving)) returning *
),
archived as (
  insert into dlq_events_archive select archived.*
  from moved cross join lateral json_populate_record(null::dlq_events_archive, to_json(moved)) as archived
)
select max(last_failure_at)::text as failed_at, count(*)::int as events from moving having count(*) > 0;
