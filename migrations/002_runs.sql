-- What was done to events: runs, what a run was to touch, every single delivery, every act of a person.

create table dlq_runs (
  id               bigint generated always as identity primary key,
  trigger          text not null,
  started_at       timestamptz not null default now(),
  -- A tick works on what was due then; one that comes while it is still running moves that on.
  due_at           timestamptz,
  -- How many events a tick may still claim; null: as many as are due.
  allowance        integer,
  ended_at         timestamptz,
  stopped          text,
  tally            jsonb not null default '{}',
  targets          jsonb not null default '{}',
  requested_by     text,
  reason           text,

  -- From here on of a replay. What was asked for; the same key with the same request is the same run.
  request          jsonb,
  request_hash     text,
  idempotency_key  text,
  -- What is sent otherwise than it was captured: as people wrote it, digit for digit.
  patch            json,
  -- The lanes that the selection came from, each with what a route is chosen by.
  origins          jsonb,
  -- What matched and was not selected, as reason and number.
  left_out         jsonb,
  selected         integer,
  -- encode(sha256(convert_to(string_agg(event_id::text, ',' order by event_id), 'UTF8')), 'hex') over dlq_run_events
  selection_hash   text,
  delivered        integer not null default 0,
  failed           integer not null default 0,
  skipped          integer not null default 0,
  waiting          integer generated always as (selected - delivered - failed - skipped) stored,
  -- Of those that wait: how many are being delivered.
  in_flight        integer not null default 0,
  -- The outcomes of late, "d" or "f" each, as many as the gate looks at.
  recent           text not null default '',
  pace             jsonb not null default '{}',
  -- A leg begins with the run and with each resumption; the outcomes before it count for no ramp.
  leg_began_at     timestamptz not null default now(),
  leg_began_with   integer not null default 0,
  paused_because   text,
  watch_seconds    integer,

  constraint dlq_runs_trigger check (trigger in ('schedule', 'replay')),
  constraint dlq_runs_stopped_when_ended check ((ended_at is null) = (stopped is null)),
  constraint dlq_runs_selected check ((trigger = 'replay') = (selected is not null)),
  constraint dlq_runs_progress check (least(delivered, failed, skipped, in_flight) >= 0 and in_flight <= waiting)
);

-- One tick at a time, by however many workers.
create unique index dlq_runs_open_tick on dlq_runs (trigger) where trigger = 'schedule' and ended_at is null;
create unique index dlq_runs_idempotency_key on dlq_runs (idempotency_key) where idempotency_key is not null;
create index dlq_runs_open on dlq_runs (id) where ended_at is null;

comment on table dlq_runs is 'One retry tick or one replay each: beginning, end, and what came of it.';
comment on column dlq_runs.delivered is 'Counted by a trigger on dlq_run_events, like failed, skipped, in_flight and recent: nobody else may write them.';

create table dlq_run_workers (
  run_id      bigint not null references dlq_runs on delete cascade,
  slot        integer not null,
  token       uuid,
  -- Moved on while its worker works: one that died is seen by its silence, and its slot is free again.
  alive_until timestamptz not null default '-infinity',

  primary key (run_id, slot)
);

comment on table dlq_run_workers is 'The slots of an open run: so many workers can be at it, and each that is holds one.';

-- No foreign key to dlq_runs: it would look the run up once for each of a million events.
create table dlq_run_events (
  run_id        bigint not null,
  event_id      bigint not null,
  -- In order of capture, from 1 on.
  place         integer not null,
  -- As the event was when it was selected, and again when it was claimed: what changed meanwhile is not replayed.
  failure_count integer not null,
  status        text not null,
  -- While it is being delivered: until when, where to, and what the event goes back to if nothing comes of it.
  leased_until  timestamptz,
  target        text,
  retry_after   timestamptz,
  processed_at  timestamptz,
  -- How often its worker has disappeared with it.
  lost          smallint not null default 0,
  -- Never null: the planner would not see that an index by outcome has those of one outcome in order.
  outcome       text not null default 'waiting',
  reason        text,
  detail        text,
  settled_at    timestamptz,
  -- Where it was sent edited: SHA-256 of the body that went out.
  sent_digest   bytea,

  primary key (run_id, event_id),
  constraint dlq_run_events_outcome check (outcome in ('waiting', 'delivered', 'failed', 'skipped')),
  constraint dlq_run_events_settled check ((outcome = 'waiting') = (settled_at is null)),
  constraint dlq_run_events_leased_while_waiting check (leased_until is null or outcome = 'waiting')
);

-- Finds what waits in its order, and lists a run by outcome. Not by event_id: the primary key has that order too, and the
-- planner, which knows nothing about a run that was just made, would walk over all that is done already.
create index dlq_run_events_by_outcome on dlq_run_events (run_id, outcome, place);

create index dlq_run_events_leased on dlq_run_events (leased_until) where leased_until is not null;

comment on table dlq_run_events is 'The selection of a replay, frozen when the run was created, and what came of each event.';

-- The edited version of an event: what a run sends in place of the original, which stays as it is.
create table dlq_run_edits (
  run_id   bigint not null,
  event_id bigint not null,
  body     bytea,
  headers  jsonb,

  primary key (run_id, event_id),
  constraint dlq_run_edits_headers check (jsonb_typeof(headers) = 'object'),
  constraint dlq_run_edits_something check (num_nonnulls(body, headers) > 0)
);

comment on table dlq_run_edits is 'What a person edited for one replay of one event: a body, headers or both.';

-- Why an event is not replayed, as it stands; null where it may be. Inlined into the statements that choose events.
create function dlq_obstacle(
  status text, lease_expires_at timestamptz, include_succeeded boolean, include_discarded boolean
) returns text language sql stable as $$
  select case
    when status = 'PROCESSING' and lease_expires_at > now() then 'leased'
    when status = 'SUCCEEDED' and not include_succeeded then 'delivered'
    when status = 'DISCARDED' and not include_discarded then 'discarded'
  end
$$;

-- Keeps a run's progress with the very statement that changes what it counts, so that it is exact at all times, whoever
-- writes. As the owner: nobody else needs the right to write these columns.
create function dlq_count_run_outcomes() returns trigger language plpgsql security definer set search_path from current as $$
begin
  update dlq_runs as run
  set delivered = run.delivered + news.delivered,
      failed = run.failed + news.failed,
      skipped = run.skipped + news.skipped,
      in_flight = run.in_flight + news.in_flight,
      recent = right(run.recent || news.outcomes, coalesce((run.pace #>> '{gate,window}')::integer, 0)),
      ended_at = case when run.ended_at is null and run.waiting = news.settled then clock_timestamp() else run.ended_at end,
      stopped = case when run.ended_at is null and run.waiting = news.settled then 'all done' else run.stopped end
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
  ) as news
  where run.id = news.run_id;
  return null;
end
$$;

create trigger dlq_run_events_count_outcomes after update on dlq_run_events
referencing old table as old_rows new table as new_rows
for each statement execute function dlq_count_run_outcomes();

-- No foreign key to dlq_events: it would lock and look up the event for each delivery, and attempts outlive
-- the move of their event to the archive.
create table dlq_attempts (
  id              bigint generated always as identity,
  event_id        bigint not null,
  run_id          bigint,
  number          integer not null,
  outcome         text not null,
  target          text not null,
  started_at      timestamptz not null,
  duration_ms     integer not null,
  response_status integer,
  response_body   text,
  error           text,

  primary key (event_id, id),
  constraint dlq_attempts_outcome check (outcome in ('delivered', 'transient', 'permanent', 'ambiguous', 'lost'))
);

comment on table dlq_attempts is 'One delivery each: what was tried, when, and what the target said.';

create table dlq_audit (
  id       bigint generated always as identity primary key,
  at       timestamptz not null default now(),
  actor    text not null,
  act      text not null,
  reason   text,
  run_id   bigint,
  event_id bigint,
  -- The act whose outcome this row tells, as no row is ever changed.
  closes   bigint,
  details  jsonb not null default '{}'
);

create index dlq_audit_event on dlq_audit (event_id) where event_id is not null;
create index dlq_audit_run on dlq_audit (run_id) where run_id is not null;
create unique index dlq_audit_closes on dlq_audit (closes) where closes is not null;

comment on table dlq_audit is 'Every act of a person: who, when, what, why. Nobody is granted a change or a deletion.';
