-- Error groups: events that failed for the same reason, with what operators decided about it.

create table dlq_error_groups (
  fingerprint      text primary key,
  state            text not null default 'OPEN',
  -- Class and message without ids, numbers and other values of a single event. Null until maintain, a tick or the console
  -- has read the first event.
  title            text,
  -- The latest event, which may be in the archive.
  sample_event_id  bigint,
  first_seen_at    timestamptz not null,
  last_seen_at     timestamptz not null,
  -- Captures and recurrences since the first.
  failures         bigint not null,
  owner            text,
  note             text,
  state_changed_at timestamptz not null default now(),
  muted_until      timestamptz,

  constraint dlq_error_groups_state check (state in ('OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'REGRESSED')),
  constraint dlq_error_groups_muted_until check ((state = 'MUTED') = (muted_until is not null)),
  constraint dlq_error_groups_seen_in_order check (first_seen_at <= last_seen_at)
);

comment on table dlq_error_groups is 'Error groups: one row per fingerprint, with title, failures, state, owner and note.';

create index dlq_error_groups_seen on dlq_error_groups (last_seen_at, fingerprint);
create index dlq_error_groups_untitled on dlq_error_groups (fingerprint) where title is null;
-- Groups whose state may change without an operator: muted ones, and resolved ones that fail again.
create index dlq_error_groups_waiting on dlq_error_groups (fingerprint) where state in ('MUTED', 'RESOLVED');
