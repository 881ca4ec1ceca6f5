-- Delivery: runs and their workers, the attempts of each event, and the health and rate limits of targets and
-- routes.

create table dlq_runs (
  id               bigint generated always as identity primary key,
  trigger          text not null,
  started_at       timestamptz not null default now(),
  -- A tick claims events that were due at this time; a tick that starts while it is running moves the time
  -- forward.
  due_at           timestamptz,
  -- How many more events the tick may claim. Null: all that are due.
  allowance        integer,
  ended_at         timestamptz,
  stopped          text,
  tally            jsonb not null default '{}',
  targets          jsonb not null default '{}',
  requested_by     text,
  reason           text,

  -- The columns from here on belong to replays. The request; the same key with the same request is the same
  -- run.
  request          jsonb,
  request_hash     text,
  idempotency_key  text,
  -- A JSON Patch, as the operator wrote it, digit for digit: each event is edited before the first delivery.
  -- `edited_to`: the position up to which that is done.
  patch            json,
  edited_to        integer not null default 0,
  -- Events that matched and were not selected, as reason and number.
  excluded         jsonb,
  selected         integer,
  delivered        integer not null default 0,
  failed           integer not null default 0,
  skipped          integer not null default 0,
  waiting          integer generated always as (selected - delivered - failed - skipped) stored,
  -- Of the waiting events, those that are being delivered.
  in_flight        integer not null default 0,
  -- When the last event was settled. Null: none yet.
  progressed_at    timestamptz,
  -- The latest outcomes, "d" or "f" each, up to the window of the gate.
  recent           text not null default '',
  rollout          jsonb not null default '{"pace": "normal"}',
  -- A stage begins with the run and with each resumption; the ramp ignores outcomes before it.
  stage_began_at   timestamptz not null default now(),
  stage_began_with integer not null default 0,
  paused_because   text,

  constraint dlq_runs_trigger check (trigger in ('schedule', 'replay')),
  constraint dlq_runs_stopped_when_ended check ((ended_at is null) = (stopped is null)),
  constraint dlq_runs_selected check ((trigger = 'replay') = (selected is not null)),
  constraint dlq_runs_progress check (least(delivered, failed, skipped, in_flight) >= 0
    and in_flight <= waiting)
);

comment on table dlq_runs is 'Runs: one retry tick or one replay each, with beginning, end and tally.';
comment on column dlq_runs.delivered is
  'Counted by a trigger on dlq_run_events, like failed, skipped, in_flight, progressed_at and recent. No '
  'role may write it.';

-- One tick at a time, for any number of workers.
create unique index dlq_runs_open_tick on dlq_runs (trigger) where trigger = 'schedule' and ended_at is null;
create unique index dlq_runs_idempotency_key on dlq_runs (idempotency_key) where idempotency_key is not null;
create index dlq_runs_open on dlq_runs (id) where ended_at is null;
create index dlq_runs_started on dlq_runs (started_at);

-- The lists of runs. A schedule of one tick a minute adds half a million idle ticks in a year, which neither
-- list reads.
create index dlq_runs_replays on dlq_runs (id) where trigger = 'replay';
create index dlq_runs_busy_ticks on dlq_runs (id)
where trigger = 'schedule' and (ended_at is null
  or (tally ->> 'claimed')::int + coalesce((tally ->> 'refused')::int, 0) > 0);

create table dlq_run_workers (
  run_id       bigint not null references dlq_runs on delete cascade,
  slot         integer not null,
  token        uuid,
  -- The latest heartbeat of its worker. If that is seconds away from now, the slot is free.
  heartbeat_at timestamptz not null default '-infinity',
  -- The version of its configuration: during a rollout two of them work side by side.
  routes       text,
  -- The latest report of the worker. The run has the sum of all reports.
  tally        jsonb not null default '{}',
  targets      jsonb not null default '{}',

  primary key (run_id, slot)
);

comment on table dlq_run_workers is
  'Worker slots of open runs: their number limits the workers of a run, and each worker holds one.';

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
  constraint dlq_attempts_outcome check (
    outcome in ('delivered', 'transient', 'permanent', 'ambiguous', 'lost'))
);

-- The latest answers of a target. By a hash, because names are long, and each delivery adds an entry.
create index dlq_attempts_target on dlq_attempts (hashtextextended(target, 0), id);

comment on table dlq_attempts is 'Attempts: one delivery of one event each, with the response of the target.';

-- One row per statement that leases events, and one per statement that announces deliveries to a target
-- within a lease, of which none is ever changed: a mark on the event itself would copy its row once more.
-- What is delivered, by whichever run, is leased and recovered alike; an index on the time in dlq_events
-- would make every lease and settlement write all indexes. A lease ends after its seconds, by the clock that
-- now is: if the clock steps back, it begins anew, and ends no later than it could if it began now.
create table dlq_leases (
  token     uuid not null,
  run_id    bigint,
  -- Null: the lease itself. If a worker dies, only the events that it has sent lose a retry.
  target    text,
  event_ids bigint[] not null,
  leased_at timestamptz not null default now(),
  seconds   double precision,

  constraint dlq_leases_end check ((target is null) = (seconds is not null))
)
-- Up to 1,000 ids stay uncompressed: a row lives for minutes.
with (toast_tuple_target = 8160);

alter table dlq_leases replica identity full;
comment on table dlq_leases is
  'Leases: the events that a worker took at once, for how long and for which run, and which of them it has '
  'sent.';

create index dlq_leases_token on dlq_leases (token);
create index dlq_leases_leased_at on dlq_leases (leased_at) where target is null;

create table dlq_breakers (
  target               text not null,
  -- 0: the target itself. Larger: what failed there with the same answer, as dlq_events.cause. -1: a hold of
  -- no target, by its name: `schedule` pauses ticks, `*` holds the targets that routes bring later. -2: the
  -- rate limit of a route, by its name.
  cause                bigint not null default 0,
  state                text not null default 'CLOSED',
  -- The latest failure said so.
  answer               text,
  consecutive_failures integer not null default 0,
  -- Recent deliveries and failures: both are halved whenever they grow large.
  deliveries           integer not null default 0,
  failures             integer not null default 0,
  opened_at            timestamptz,
  cooldown_seconds     double precision,
  -- How many events at once find out whether it is back.
  probes               integer not null default 1,
  probe_after          timestamptz,
  -- A target that said "too many" gets nothing before this time, and then so many a second, slowly more
  -- (take-turns.sql), up to the most that it was seen to accept in one second and beyond. After an outage or
  -- a hold the time is that of the first delivery.
  paused_until         timestamptz,
  pace                 double precision,
  peak                 double precision,
  -- While an operator holds the target, until held_until, the schedule delivers nothing to it, and a replay
  -- only if its request says so. Infinity: until it is released.
  held_at              timestamptz,
  held_by              text,
  held_reason          text,
  held_until           timestamptz,
  -- When it opened and closed in turn, the latest of up to a hundred times first. Probes are not recorded.
  changes              timestamptz[] not null default '{}',
  -- Of a pace, and of the rate of a route or a replay, shared by all instances: the tokens in its bucket at
  -- updated_at. Null: it is full.
  tokens               double precision,
  updated_at           timestamptz not null default now(),

  primary key (target, cause),
  constraint dlq_breakers_state check (state in ('CLOSED', 'OPEN', 'HALF_OPEN')),
  constraint dlq_breakers_opened check (
    (state = 'CLOSED') = (opened_at is null) and (state = 'CLOSED') = (probe_after is null)),
  constraint dlq_breakers_cause check (cause >= -2 and (cause in (0, -1) or held_at is null)
    and (cause >= 0 or state = 'CLOSED' and (pace is not null) = (cause = -2))),
  constraint dlq_breakers_pace check (pace > 0 and peak > 0
    and (pace is not null or num_nonnulls(peak, paused_until) = 0)),
  constraint dlq_breakers_held check (num_nulls(held_at, held_by, held_reason, held_until) in (0, 4))
);

comment on table dlq_breakers is
  'Breakers: one row per target that ever failed or was held, one per cause that fails there, and one per '
  'rate limit of a route or a replay. An open one stops deliveries.';
comment on column dlq_breakers.cause is
  'Target and answer, as dlq_events.cause; 0: the target itself; -1: a hold of no target; -2: the rate '
  'limit of a route.';
