-- What people do to many events at once.

-- One row for each event that an act changed, written by the statement that changed it: what an act has done is exact
-- whenever it is asked, even of one that was cut short. Arrays with an index would take as much room.
create table dlq_audit_events (
  event_id bigint not null,
  audit_id bigint not null,

  primary key (event_id, audit_id)
);

comment on table dlq_audit_events is 'Which events an act of a person changed. Nobody is granted a change or a deletion.';

-- replay changes how urgent events are, says who did what, and shows all of it.
grant update (priority) on dlq_events to dlq_replay;
grant insert (actor, act, reason, closes, details), select on dlq_audit to dlq_replay;
grant insert, select on dlq_audit_events to dlq_replay;
grant select on dlq_attempts, dlq_events_archive to dlq_replay;

grant select on dlq_audit_events to dlq_readonly;
