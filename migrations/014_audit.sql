-- Audit: every action of an operator. No role may update or delete these rows.

create table dlq_audit (
  id       bigint generated always as identity primary key,
  at       timestamptz not null default now(),
  -- A role without the right to insert it, dlq_maintain, records its own actions only.
  actor    text not null default 'service',
  action   text not null,
  reason   text,
  run_id   bigint,
  event_id bigint,
  -- The entry whose outcome this row records, as no row is ever changed.
  closes   bigint,
  details  jsonb not null default '{}',
  -- The login that inserted the row: an actor is what this login reports. No role may insert it.
  login    text not null default session_user
);

comment on table dlq_audit is 'Audit: every action of an operator, with actor, time, action and reason. No role may update or delete rows.';

create index dlq_audit_event on dlq_audit (event_id) where event_id is not null;
create index dlq_audit_run on dlq_audit (run_id) where run_id is not null;
create unique index dlq_audit_closes on dlq_audit (closes) where closes is not null;
create index dlq_audit_target on dlq_audit ((details ->> 'target'), id) where details ? 'target';
create index dlq_audit_merged on dlq_audit ((details ->> 'merged'), id) where details ? 'merged';
create index dlq_audit_group on dlq_audit ((details ->> 'fingerprint'), id) where details ? 'fingerprint';

-- One row for each event that an action changed, written by the statement that changed it: the record is
-- exact at any time, also of an action that was interrupted. Arrays with an index would need as much space.
create table dlq_audit_events (
  event_id bigint not null,
  audit_id bigint not null,

  primary key (event_id, audit_id)
);

comment on table dlq_audit_events is 'Audit: the events that an action changed. No role may update or delete rows.';
