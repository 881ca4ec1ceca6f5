-- Replay: the selection of each replay, what operators edited for it, and the progress of the run.

-- No foreign key to dlq_runs: it would look up the run once for each of a million events.
create table dlq_run_events (
  run_id        bigint not null,
  event_id      bigint not null,
  -- Counted from 1, in order of capture.
  position      integer not null,
  -- State of the event when it was selected, and again when it was claimed: an event that changed in between is skipped.
  failure_count integer not null,
  status        text not null,
  -- While the event is being delivered: its lease, its target, and the values to restore if the lease expires.
  leased_until  timestamptz,
  target        text,
  retry_after   timestamptz,
  processed_at  timestamptz,
  -- Workers that died while they held the event.
  lost          smallint not null default 0,
  -- Never null: with nulls the planner does not see that the index by outcome has the events of one outcome in order.
  outcome       text not null default 'waiting',
  reason        text,
  detail        text,
  settled_at    timestamptz,
  -- SHA-256 of the body that was sent, if it was edited.
  sent_digest   bytea,

  primary key (run_id, event_id),
  constraint dlq_run_events_outcome check (outcome in ('waiting', 'delivered', 'failed', 'skipped')),
  constraint dlq_run_events_settled check ((outcome = 'waiting') = (settled_at is null)),
  constraint dlq_run_events_leased_while_waiting check (leased_until is null or outcome = 'waiting')
);

comment on table dlq_run_events is 'Selections of replays: one event of one run each, frozen when the run was created, with its outcome.';

-- Waiting events in their order, and the events of a run by outcome. Not by event_id: the primary key has that order too,
-- and without statistics on a new run the planner would walk over all settled events.
create index dlq_run_events_by_outcome on dlq_run_events (run_id, outcome, position);

create index dlq_run_events_leased on dlq_run_events (leased_until) where leased_until is not null;

create table dlq_run_edits (
  run_id   bigint not null,
  event_id bigint not null,
  body     bytea,
  headers  jsonb,

  primary key (run_id, event_id),
  constraint dlq_run_edits_headers check (jsonb_typeof(headers) = 'object'),
  constraint dlq_run_edits_something check (num_nonnulls(body, headers) > 0)
);

comment on table dlq_run_edits is 'Edited messages: the body, headers or both that one replay sends instead of the original of one event.';

-- Why a replay skips an event, from its current state; null if it may be replayed. Inlined into the statements that
-- select events.
create function dlq_skip_reason(
  status text, lease_expires_at timestamptz, include_succeeded boolean, include_discarded boolean
) returns text language sql stable
return case
  when status = 'PROCESSING' and lease_expires_at > now() then 'leased'
  when status = 'SUCCEEDED' and not include_succeeded then 'delivered'
  when status = 'DISCARDED' and not include_discarded then 'discarded'
end;

comment on function dlq_skip_reason is 'Why a replay skips an event in this state; null if it may be replayed.';

-- Updates the progress of a run within the statement that changes its events, so that progress is exact at all times. Runs
-- as the owner: no role needs the right to write these columns.
create function dlq_count_run_outcomes() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
      recent = right(run.recent || change.outcomes, coalesce((run.rollout #>> '{gate,window}')::integer, 0)),
      ended_at = case when run.ended_at is null and run.waiting = change.settled then clock_timestamp() else run.ended_at end,
      stopped = case when run.ended_at is null and run.waiting = change.settled then 'all done' else run.stopped end
  from (
    select
      run_id,
      count(*) filter (where new_row.outcome = 'delivered') - count(*) filter (where old_row.outcome = 'delivered') as delivered,
      count(*) filter (where new_row.outcome = 'failed') - count(*) filter (where old_row.outcome = 'failed') as failed,
      count(*) filter (where new_row.outcome = 'skipped') - count(*) filter (where old_row.outcome = 'skipped') as skipped,
      count(new_row.leased_until) - count(old_row.leased_until) as in_flight,
      count(*) filter (where old_row.outcome = 'waiting') - count(*) filter (where new_row.outcome = 'waiting') as settled,
      coalesce(string_agg(left(new_row.outcome, 1), '' order by new_row.settled_at, event_id) filter (
        where old_row.outcome = 'waiting' and new_row.outcome in ('delivered', 'failed')), '') as outcomes
    from new_rows as new_row
    join old_rows as old_row using (run_id, event_id)
    group by run_id
  ) as change
  where run.id = change.run_id;
  return null;
end
$$;

comment on function dlq_count_run_outcomes is 'Trigger: keeps the progress of a run exact.';

create trigger dlq_run_events_count_outcomes after update on dlq_run_events
referencing old table as old_rows new table as new_rows
for each statement execute function dlq_count_run_outcomes();
