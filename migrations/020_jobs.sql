-- Jobs of maintain: when each was last complete, and where an interrupted one goes on.

create table dlq_jobs (
  name         text primary key,
  -- Before its first complete run its age is counted from here.
  known_since  timestamptz not null default now(),
  completed_at timestamptz,
  -- Null: its next run begins anew.
  progress     jsonb
);

comment on table dlq_jobs is
  'Jobs of maintain: the last complete run of each, and the progress of an interrupted one.';

grant select, insert, update (completed_at, progress) on dlq_jobs to dlq_maintain;
grant select on dlq_jobs to dlq_readonly;

-- For the digest: how often operators did what.
grant select (at, actor, action, closes) on dlq_audit to dlq_maintain;
