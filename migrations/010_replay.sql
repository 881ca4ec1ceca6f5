-- Replay: the selection of each replay, and the progress of the run.

-- No foreign key to dlq_runs: it would look up the run once for each of a million events.
create table dlq_run_events (
  run_id        bigint not null,
  event_id      bigint not null,
  -- Counted from 1, in order of capture.
  position      integer not null,
  -- State of the event when it was selected, and again when it was leased: an event that changed in between
  -- is skipped.
  failure_count integer not null,
  status        text not null,
  -- While the event is being delivered; and when it had been closed then, to restore it.
  is_leased     boolean not null default false,
  processed_at  timestamptz,
  -- Never null: with nulls the planner does not see that the index by outcome has the events of one outcome
  -- in order.
  outcome       text not null default 'waiting',
  reason        text,
  detail        text,
  settled_at    timestamptz,

  primary key (run_id, event_id),
  constraint dlq_run_events_outcome check (outcome in ('waiting', 'delivered', 'failed', 'skipped')),
  constraint dlq_run_events_settled check ((outcome = 'waiting') = (settled_at is null)),
  constraint dlq_run_events_leased_while_waiting check (not is_leased or outcome = 'waiting')
);

comment on table dlq_run_events is
  'Selections of replays: one event of one run each, frozen when the run was created, with its outcome.';

-- Waiting events in their order, and the events of a run by outcome. Not by event_id: the primary key has
-- that order too, and without statistics on a new run the planner would walk over all settled events.
create index dlq_run_events_by_outcome on dlq_run_events (run_id, outcome, position);

-- Updates the progress of a run within the statement that changes its events, so that progress is exact at
-- all times. Runs as the owner: no role needs the right to write these columns.
create function dlq_count_run_outcomes() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Every settlement fires this trigger, that of a tick without rows.
  if not exists (select from new_rows) then
    return null;
  end if;
  update public.dlq_runs as run
  set delivered = run.delivered + change.delivered,
      failed = run.failed + change.failed,
      skipped = run.skipped + change.skipped,
      in_flight = run.in_flight + change.in_flight,
      progressed_at = case when change.settled <> 0 then clock_timestamp() else run.progressed_at end,
      recent = right(run.recent || change.outcomes, 50),
      ended_at = coalesce(run.ended_at, case when run.waiting = change.settled then clock_timestamp() end),
      stopped = case when run.ended_at is null and run.waiting = change.settled then 'all done'
        else run.stopped end
  from (
    select
      run_id,
      sum((new_row.outcome = 'delivered')::int - (old_row.outcome = 'delivered')::int) as delivered,
      sum((new_row.outcome = 'failed')::int - (old_row.outcome = 'failed')::int) as failed,
      sum((new_row.outcome = 'skipped')::int - (old_row.outcome = 'skipped')::int) as skipped,
      sum(new_row.is_leased::int - old_row.is_leased::int) as in_flight,
      sum((old_row.outcome = 'waiting')::int - (new_row.outcome = 'waiting')::int) as settled,
      coalesce(string_agg(case new_row.reason when 'target' then 't' else left(new_row.outcome, 1) end, ''
        order by new_row.settled_at, event_id) filter (
        where old_row.outcome = 'waiting' and new_row.outcome in ('delivered', 'failed')), '') as outcomes
    from new_rows as new_row
    join old_rows as old_row using (run_id, event_id)
    group by run_id
  ) as change
  where run.id = change.run_id;

  return null;
end
$$;

create trigger dlq_run_events_count_outcomes after update on dlq_run_events
referencing old table as old_rows new table as new_rows
for each statement execute function dlq_count_run_outcomes();
