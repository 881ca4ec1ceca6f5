-- Splits a merged error group off again, and records it in the audit. Its events, counts, state, owner and
-- note were never changed. Changes nothing if it is not merged.
with locked as materialized (
  select fingerprint, merged_into
  from dlq_error_groups
  where fingerprint = :fingerprint and merged_into is not null
  for update
),
split as (
  update dlq_error_groups as error_group
  set merged_into = null
  from locked
  where error_group.fingerprint = locked.fingerprint
  returning error_group.fingerprint, locked.merged_into as "from"
),
audited as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor::text, 'split group', :reason::text,
    jsonb_build_object('fingerprint', "from", 'merged', fingerprint)
  from split
)
select fingerprint, "from" from split;
