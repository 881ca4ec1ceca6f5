-- What was done to events: runs, what a run was to touch, every single delivery, every act of a person.

create table dlq_runs (
  id           bigint generated always as identity primary key,
  trigger      text not null,
  started_at   timestamptz not null default now(),
  -- Moved on while the run is worked on: one whose worker died is seen by its silence.
  alive_until  timestamptz not null default now(),
  ended_at     timestamptz,
  stopped      text,
  tally        jsonb not null default '{}',
  targets      jsonb not null default '{}',
  requested_by text,
  reason       text,

  constraint dlq_runs_trigger check (trigger in ('schedule', 'replay')),
  constraint dlq_runs_stopped_when_ended check ((ended_at is null) = (stopped is null))
);

comment on table dlq_runs is 'One retry tick or one replay each: beginning, end, tally, and why it stopped.';

create table dlq_run_events (
  run_id   bigint not null references dlq_runs on delete cascade,
  event_id bigint not null,
  outcome  text,

  primary key (run_id, event_id)
);

comment on table dlq_run_events is 'The selection of a replay, frozen when the run was created.';

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
  details  jsonb not null default '{}'
);

create index dlq_audit_event on dlq_audit (event_id) where event_id is not null;
create index dlq_audit_run on dlq_audit (run_id) where run_id is not null;

comment on table dlq_audit is 'Every act of a person: who, when, what, why. Nobody is granted a change or a deletion.';
